package harness

import (
	"net/netip"

	"github.com/ibperf/ibperf/harness/internal/clock"
	"github.com/ibperf/ibperf/harness/internal/testcase"
	"github.com/ibperf/ibperf/internal/gpu"
	"github.com/ibperf/ibperf/oob"
	"github.com/ibperf/ibperf/option"
	"github.com/ibperf/ibperf/result"
	"github.com/ibperf/ibperf/verbs"
)

// Role is the role of a side: the client sends first in latency tests, and is the sender or
// requester of bandwidth tests.
type Role = testcase.Role

// The roles.
const (
	Client = testcase.Client
	Server = testcase.Server
)

// DevicePort is a port that a side measures with.
type DevicePort struct {
	Context verbs.Context // opened device, used by this run only
	Port    int           // device port, from 1
	CPUs    []int         // CPUs near the device; nil: no preference
}

// Config is one side of a run.
type Config struct {
	Plan     option.ResolvedPlan
	Role     Role
	Devices  []DevicePort // as many as the plan has; the i-th one is connected with the i-th one of the peer
	GIDIndex int          // -1: chosen by both sides together
	Peer     oob.Peer
	PeerIP   netip.Addr          // of the Peer, if known: GIDs of its address family are preferred
	Clock    func() *clock.Clock // creates the clock of a worker; nil: that of the machine
	Pin      bool                // measure on the first CPUs of the devices, and confine the process to those of the first device

	// RunsBefore is the number of runs of the same comparison that other processes have made before. This run
	// continues their order.
	RunsBefore int

	// Options of this side's device and memory.
	PKeyIndex int                 // index into the port's P_Key table
	DLID      int                 // destination LID of the peer; 0: the one that it reports
	Vector    int                 // completion vector of the CQs
	NUMANode  *int                // node that memory is allocated on; nil: any
	GPU       gpu.Device          // that holds the messages; the zero value: main memory does
	Hints     *verbs.DMAHInitAttr // of PCIe requests to the messages (TPH); nil: none
	Payload   []byte              // pattern that messages are filled with; nil: zeros

	// Further measurements.
	KeepSamples int       // keep the first samples of a row, up to this number, by this side's clock
	Counters    []Counter // read before and after each round
	CPUUtil     bool      // measure the CPU utilization of the whole machine

	// File is filled by the run: Parameters, Local.Device, Local.Order, Peer,
	// Warnings, Interrupted, Rows, NotMeasured. The caller fills the other fields before.
	File *result.File
	// Begin is called once, when all of File except Rows is known.
	Begin func(Beginning)
	// Stop ends an endless run, with its summary, when it is closed. With nil the run does not end.
	Stop <-chan struct{}
	// Interval is called for each interval of an endless run.
	Interval func(result.Row)
	// Round, if not nil, is called after each measured round. It delays the next one.
	Round func()
	// Row is called for each row, after it was added to File.Rows.
	Row func(result.Row)
	// Failed, if not nil, is called with the error that Run will return, before QPs and memory are
	// closed.
	Failed func(error)
}

// A Beginning holds the QPs of a run and its number of rows.
type Beginning struct {
	Rows        int            // number of rows to measure
	Local, Peer []oob.Endpoint // the QPs of both sides
}
