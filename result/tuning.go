package result

// Tuning holds how the host and the PCIe slot of a side are set up, where that decides how fast the device can be.
// Members are absent if they could not be read.
type Tuning struct {
	PCI       *PCI       `json:"pci,omitempty"`       // nil: the device has no PCI function
	Interrupt *Interrupt `json:"interrupt,omitempty"` // of the completion vector
	Interface string     `json:"network_interface,omitempty"`
	Boost     *Boost     `json:"boost,omitempty"`
	LockLimit *uint64    `json:"memlock_limit_bytes,omitempty"` // that the process may lock; nil: any number
	HugePages *HugePages `json:"huge_pages,omitempty"`
	Nodes     []int      `json:"allowed_nodes,omitempty"` // NUMA nodes of the CPUs that the process may run on
	Cores     int        `json:"allowed_cores,omitempty"` // number of cores that these CPUs belong to
	// What follows is known at the end of a run, by the side that wrote the file.
	Sibling *Sibling          `json:"busiest_sibling,omitempty"`
	Growth  map[string]uint64 `json:"counter_growth,omitempty"` // of the port's counters of errors and congestion from the begin to the end, without those that stayed the same
}

// PCI is the PCI function of a device.
type PCI struct {
	Address  string   `json:"address"`                     // "0000:3b:00.0"
	Virtual  bool     `json:"virtual_function,omitempty"`  // of SR-IOV; the links are those of its physical function
	Link     *PCILink `json:"link,omitempty"`              // of the card, as it is
	Largest  *PCILink `json:"largest_link,omitempty"`      // that the card is capable of
	Slot     *PCILink `json:"slot,omitempty"`              // the largest link that the port above the card is capable of
	Above    *PCILink `json:"link_above,omitempty"`        // the slowest one between that port and the root complex
	AboveAt  string   `json:"link_above_at,omitempty"`     // address of the bridge below that link
	IOMMU    string   `json:"iommu_group_type,omitempty"`  // "DMA", "DMA-FQ": addresses are translated; "identity": they are not
	Bypassed bool     `json:"iommu_passthrough,omitempty"` // a parameter of the boot asks for "identity"
	// RelaxedOrdering is the bit of the Device Control register that enables it.
	RelaxedOrdering *bool `json:"relaxed_ordering,omitempty"`
}

// The types of IOMMU groups with translation.
const (
	IOMMUStrict = "DMA"
	IOMMULazy   = "DMA-FQ"
)

// PCILink is a PCIe link.
type PCILink struct {
	Speed float64 `json:"speed_gt_per_s"`
	Width int     `json:"width"`
	Rate  float64 `json:"rate_bytes_per_s"` // of one direction, after the line code
}

// Interrupt is the interrupt of a completion vector.
type Interrupt struct {
	Vector int    `json:"completion_vector"`
	Number int    `json:"irq"`
	CPUs   string `json:"cpus"` // one of which the kernel interrupts, as its list: "0-15,32-47"
	Nodes  []int  `json:"numa_nodes,omitempty"`
}

// Boost is the setting that lets CPUs run above their base clock.
type Boost struct {
	On   bool   `json:"on"`
	File string `json:"file"` // path of the setting
}

// HugePages holds a host's huge pages of the default size.
type HugePages struct {
	Bytes uint64 `json:"size_bytes"`
	Total int    `json:"total"`
	Free  int    `json:"free"`
}

// Sibling is the busiest of the hardware threads that share a core with a measuring thread.
type Sibling struct {
	CPU  int     `json:"cpu"`
	Of   int     `json:"of_cpu"` // of the measuring thread
	Busy float64 `json:"busy"`   // fraction of the time of the run
}
