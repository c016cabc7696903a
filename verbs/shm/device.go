package shm

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/ibperf/ibperf/verbs"
	"github.com/ibperf/ibperf/verbs/internal/store"
)

// software labels the device in every output.
const software = "embedded shared-memory device, not RDMA hardware"

// placement is the order in which a device stores incoming data.
type placement int

const (
	ascending placement = iota // the whole message in ascending order
	blocks                     // aligned 128-byte blocks in shuffled order, each in ascending order
	shuffled                   // blocks and the bytes within them in shuffled order
)

// device is an embedded device: the order in which it stores data, and the order that it promises.
type device struct {
	name      string
	placement placement
	promise   verbs.OrderCaps
	relaxed   bool // memory with AccessRelaxedOrdering is stored in shuffled order
	late      int  // one WRITE or SEND in late is late, see overtake; 0: none
	options   Options
}

const wholeAndBlocks = verbs.OrderWholeMsg | verbs.OrderAligned128Bytes

var (
	listed = []*device{
		{name: "shm_whole", placement: ascending, promise: wholeAndBlocks},
		{name: "shm_block128", placement: blocks, promise: verbs.OrderAligned128Bytes, relaxed: true, late: 8},
		{name: "shm_unordered", placement: shuffled, relaxed: true, late: 8},
	}
	// liar promises an order that it does not keep. It exists to prove that verification works, and
	// can be opened only by its name.
	liar = &device{name: "shm_liar", placement: shuffled, promise: wholeAndBlocks, relaxed: true, late: 8}
)

type backend struct{}

func init() { verbs.Register(backend{}) }

func (backend) Name() string    { return "shm" }
func (backend) Version() string { return "built in" }

func (backend) Devices() ([]verbs.Device, error) {
	out := make([]verbs.Device, len(listed))
	for i, d := range listed {
		out[i] = d
	}
	return out, nil
}

// Absence returns nil: the embedded devices are always available.
func (backend) Absence() error { return nil }

// Lookup returns the device with the name. Parameters may follow the name; see [Options].
func (backend) Lookup(name string) (verbs.Device, error) {
	parts := strings.Split(name, ":")
	all := append(slices.Clone(listed), liar)
	i := slices.IndexFunc(all, func(d *device) bool { return d.name == parts[0] })
	if i < 0 {
		return nil, nil
	}
	d := *all[i]
	if err := d.configure(parts[1:]); err != nil {
		return nil, err
	}
	return &d, nil
}

// Name returns the device's name with its parameters. Lookup of that name returns an equal device.
func (d *device) Name() string { return d.name + d.options.String() }

// Software returns the device's label with its faults and its seed, so that a run can be repeated
// in the same order.
func (d *device) Software() string {
	var more []string
	if faults := d.options.faults(); faults != "" {
		more = append(more, "faults: "+faults)
	}
	if d.draws() {
		more = append(more, fmt.Sprintf("seed %d", d.seedInUse()))
	}
	if more == nil {
		return software
	}
	return software + " (" + strings.Join(more, "; ") + ")"
}

// placementIn returns the order in which the device stores data in a region.
func (d *device) placementIn(w *cachedRegion) placement {
	if w.relaxed && d.relaxed {
		return shuffled
	}
	return d.placement
}

func (d *device) Backend() string { return "shm" }
func (d *device) Present() bool   { return true }

func (d *device) Open() (verbs.Context, error) {
	c, err := open(d)
	if err != nil {
		return nil, fmt.Errorf("open_device %s: %w", d.name, err)
	}
	return c, nil
}

// orderCaps returns the answer to ibv_query_qp_data_in_order(3) for a QP in RTS. The promise
// depends on x86's store order; on other CPUs the devices promise nothing.
func (d *device) orderCaps(op verbs.Opcode, flags verbs.OrderFlags) verbs.OrderCaps {
	placed := op == verbs.OpSend || op == verbs.OpRDMAWrite || op == verbs.OpRDMARead
	if !store.InOrder || !placed || flags&^(verbs.OrderReturnCaps|verbs.OrderDeviceOnly) != 0 {
		return 0
	}
	if flags&verbs.OrderReturnCaps == 0 {
		return d.promise & verbs.OrderWholeMsg
	}
	return d.promise
}

// Limits of the embedded devices.
const (
	// Sizes of tables. Slot 0 is never used.
	maxQP  = 1 << 14
	maxMR  = 1 << 16 // of regions and windows
	maxSRQ = 1 << 12
	maxCQ  = 1 << 16 // CQs with a channel
	maxAH  = 1 << 16

	maxWR      = 1 << 15
	maxCQE     = 1 << 20
	maxSGE     = 32
	maxInline  = 1024
	maxMsgSize = 1 << 31
	maxRdAtom  = 128
)

// On-demand paging capabilities by transport. All memory of these devices supports it.
const (
	odpSend, odpRecv, odpSRQ     = 1 << 0, 1 << 1, 1 << 5
	odpWrite, odpRead, odpAtomic = 1 << 2, 1 << 3, 1 << 4
	odpUD                        = odpSend | odpRecv | odpSRQ
	odpRC                        = odpUD | odpWrite | odpRead | odpAtomic
)

func (c *context) QueryDevice() (verbs.DeviceAttr, error) {
	return queryResult(c, "query_device", true, 0, "", verbs.DeviceAttr{
		FirmwareVersion: "1.0", NodeGUID: c.id, SysImageGUID: c.id,
		MaxMRSize: 1 << 40, PageSizeCap: 0xfffff000, VendorID: 0x534d, VendorPartID: 1, HWVersion: 1,
		MaxQP: maxQP - 1, MaxQPWR: maxWR, MaxSGE: maxSGE, MaxSGERead: maxSGE,
		MaxCQ: maxCQ - 1, MaxCQE: maxCQE, MaxMR: maxMR - 1, MaxMW: maxMR - 1, MaxPD: 1 << 16,
		MaxQPRdAtomic: maxRdAtom, MaxQPInitRdAtom: maxRdAtom, MaxResRdAtomic: maxRdAtom * maxQP,
		MaxSRQ: maxSRQ - 1, MaxSRQWR: maxWR, MaxSRQSGE: maxSGE, DeviceCapFlags: verbs.DeviceCapSRQResize | verbs.DeviceCapXRC | verbs.DeviceCapMemWindow | verbs.DeviceCapMemWindowType2B,
		AtomicCap: verbs.AtomicGlob, // atomic operations are CPU instructions
		MaxAH:     maxAH - 1, MaxMcastGroups: maxGroups, MaxMcastQPs: maxGroupQPs, MaxTotalMcastQPs: maxGroups * maxGroupQPs,
		MaxPKeys: 1, PhysPortCount: 1, NumCompVectors: 1, TimestampMask: math.MaxUint64, CoreClockKHz: 1e6,
		ODP: verbs.ODPCaps{General: 1, RC: odpRC, UD: odpUD},
	})
}
