package topology

import (
	"io/fs"
	"path"
	"regexp"
	"strconv"
	"strings"
)

// PCI is the PCI function of an RDMA device, with what lies between the device and memory.
type PCI struct {
	Address         string // "0000:3b:00.0"; empty: the device has no PCI function
	Virtual         bool   // an SR-IOV virtual function
	Link            Link   // of the card, as it is; that of the physical function if this is a virtual one
	Largest         Link   // that the card is capable of
	Slot            Link   // the largest that the port above the card is capable of
	Above           Link   // the slowest of the links between that port and the root complex; unknown if there is none
	AboveAt         string // address of the bridge below that link
	IOMMU           string // type of the IOMMU group, as the kernel names it: "DMA-FQ", "identity"; empty: unknown
	RelaxedOrdering *bool  // the bit of the Device Control register; nil: it may not be read
}

// Link is a PCIe link. Its zero value is an unknown one.
type Link struct {
	Speed float64 // GT/s
	Width int     // 1 to 32
}

// Rate returns the rate of the link after its line code, in bytes/s, as the kernel computes it
// (PCIE_SPEED2MBS_ENC in drivers/pci/pci.h); 0 if the link is unknown.
func (l Link) Rate() float64 {
	code := 128.0 / 130
	switch {
	case l.Speed <= 5:
		code = 0.8
	case l.Speed >= 64:
		code = 1
	}
	return l.Speed * 1e9 * code * float64(l.Width) / 8
}

// String returns the link as "16 GT/s x8".
func (l Link) String() string {
	return strconv.FormatFloat(l.Speed, 'f', -1, 64) + " GT/s x" + strconv.Itoa(l.Width)
}

// address matches the name of the folder of a PCI function.
var address = regexp.MustCompile(`^[0-9a-f]{4,8}:[0-9a-f]{2}:[0-9a-f]{2}\.[0-7]$`)

// PCIOf returns the PCI function of an RDMA device. The links of bridges are left out if the host is a virtual
// machine, since its hypervisor emulates them.
func PCIOf(root fs.FS, name string, virtualMachine bool) PCI {
	at := function(root, name)
	if !address.MatchString(path.Base(at)) {
		return PCI{}
	}
	p := PCI{Address: path.Base(at), IOMMU: text(root, path.Join(at, "iommu_group/type"))}
	physical := at
	if _, err := fs.Stat(root, path.Join(at, "physfn")); err == nil {
		p.Virtual, physical = true, path.Join(at, "physfn")
	}
	p.Link, p.Largest = linkOf(root, physical, "current"), linkOf(root, physical, "max")
	p.RelaxedOrdering = relaxedOrdering(root, physical)
	if !virtualMachine {
		p.addBridges(root, path.Dir(at))
	}
	return p
}

// addBridges adds what the bridge above the card tells, and the links further up. A bridge whose parent is a bridge
// too may be the upper port of a switch, whose link is the one above it.
func (p *PCI) addBridges(root fs.FS, at string) {
	p.Slot = linkOf(root, at, "max")
	for above := path.Dir(at); address.MatchString(path.Base(path.Dir(above))); above = path.Dir(above) {
		if l := linkOf(root, above, "current"); l != (Link{}) && (p.Above == Link{} || l.Rate() < p.Above.Rate()) {
			p.Above, p.AboveAt = l, path.Base(above)
		}
	}
}

// widest is the largest width of a PCIe link. Files have larger numbers if the width is unknown.
const widest = 32

// linkOf returns the current link of a PCI function, or its largest one ("max"); the zero value if it is unknown.
// Kernels before 5.7 write "8 GT/s", later ones "8.0 GT/s PCIe".
func linkOf(root fs.FS, at, which string) Link {
	digits, _, _ := strings.Cut(text(root, path.Join(at, which+"_link_speed")), " ")
	speed, err := strconv.ParseFloat(digits, 64)
	width := number(root, path.Join(at, which+"_link_width"))
	if err != nil || !(speed > 0 && speed < 1000) || width < 1 || width > widest {
		return Link{}
	}
	return Link{speed, width}
}
