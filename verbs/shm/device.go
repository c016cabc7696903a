package shm

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/ibperf/ibperf/internal/place"
	"github.com/ibperf/ibperf/verbs"
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

// device is one of the embedded devices: how it places data, and what it says of it.
type device struct {
	name    string
	place   placement
	promise verbs.OrderCaps
	options Options
}

const wholeAndBlocks = verbs.OrderWholeMsg | verbs.OrderAligned128Bytes

var (
	listed = []*device{
		{name: "shm_whole", place: ascending, promise: wholeAndBlocks},
		{name: "shm_block128", place: blocks, promise: verbs.OrderAligned128Bytes},
		{name: "shm_unordered", place: shuffled},
	}
	// liar claims an order that it does not keep. It exists to prove that
	// checking works and is found only by name.
	liar = &device{name: "shm_liar", place: shuffled, promise: wholeAndBlocks}
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

// Absence returns nil: the devices are always there.
func (backend) Absence() error { return nil }

// Lookup returns the device of a name, behind which parameters may stand; see [Options].
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

// Name is the name that finds a device like this, with its parameters.
func (d *device) Name() string { return d.name + d.options.String() }

// Software tells the faults too, and the seed, so that an order that did harm can be had again.
func (d *device) Software() string {
	var more []string
	if faults := d.options.faults(); faults != "" {
		more = append(more, "faults: "+faults)
	}
	if d.place != ascending || d.options.DelayMost != 0 {
		more = append(more, fmt.Sprintf("seed %d", d.seedInUse()))
	}
	if more == nil {
		return software
	}
	return software + " (" + strings.Join(more, "; ") + ")"
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

// orderCaps answers ibv_query_qp_data_in_order for a QP in RTS. The promise
// rests on x86's store order; on other CPUs the devices promise nothing.
func (d *device) orderCaps(op verbs.Opcode, flags verbs.OrderFlags) verbs.OrderCaps {
	placed := op == verbs.OpSend || op == verbs.OpRDMAWrite || op == verbs.OpRDMARead
	if !place.InOrder || !placed || flags&^(verbs.OrderReturnCaps|verbs.OrderDeviceOnly) != 0 {
		return 0
	}
	if flags&verbs.OrderReturnCaps == 0 {
		return d.promise & verbs.OrderWholeMsg
	}
	return d.promise
}

// Limits of the embedded devices.
const (
	// Sizes of tables, of which place 0 stays free.
	maxQP  = 1 << 14
	maxMR  = 1 << 16 // and windows
	maxSRQ = 1 << 12
	maxCQ  = 1 << 16 // with a channel
	maxAH  = 1 << 16

	maxWR      = 1 << 15
	maxCQE     = 1 << 20
	maxSGE     = 32
	maxInline  = 1024
	maxMsgSize = 1 << 31
	maxRdAtom  = 128
)

// What is on demand by transport. All memory of the devices always is.
const (
	odpSend, odpRecv, odpSRQ     = 1 << 0, 1 << 1, 1 << 5
	odpWrite, odpRead, odpAtomic = 1 << 2, 1 << 3, 1 << 4
	odpUD                        = odpSend | odpRecv | odpSRQ
	odpRC                        = odpUD | odpWrite | odpRead | odpAtomic
)

func (c *context) QueryDevice() (verbs.DeviceAttr, error) {
	return answer(c, "query_device", true, 0, "", verbs.DeviceAttr{
		FirmwareVersion: "1.0", NodeGUID: c.id, SysImageGUID: c.id,
		MaxMRSize: 1 << 40, PageSizeCap: 0xfffff000, VendorID: 0x534d, VendorPartID: 1, HWVersion: 1,
		MaxQP: maxQP - 1, MaxQPWR: maxWR, MaxSGE: maxSGE, MaxSGERead: maxSGE,
		MaxCQ: maxCQ - 1, MaxCQE: maxCQE, MaxMR: maxMR - 1, MaxMW: maxMR - 1, MaxPD: 1 << 16,
		MaxQPRdAtomic: maxRdAtom, MaxQPInitRdAtom: maxRdAtom, MaxResRdAtomic: maxRdAtom * maxQP,
		MaxSRQ: maxSRQ - 1, MaxSRQWR: maxWR, MaxSRQSGE: maxSGE, DeviceCapFlags: verbs.DeviceCapSRQResize | verbs.DeviceCapXRC | verbs.DeviceCapMemWindow | verbs.DeviceCapMemWindowType2B,
		AtomicCap: verbs.AtomicGlob, // they are instructions of the CPU
		MaxAH:     maxAH - 1, MaxMcastGroups: maxGroups, MaxMcastQPs: maxGroupQPs, MaxTotalMcastQPs: maxGroups * maxGroupQPs,
		MaxPKeys: 1, PhysPortCount: 1, NumCompVectors: 1, TimestampMask: math.MaxUint64, CoreClockKHz: 1e6,
		ODP: verbs.ODPCaps{General: 1, RC: odpRC, UD: odpUD},
	})
}
