package option

import (
	"time"

	"github.com/ibperf/ibperf/internal/limit"
)

// DeviceVariable is the environment variable that names the device if --ib-dev does not. An empty
// value counts as unset.
const DeviceVariable = "IBPERF_DEVICE"

// ConnectVariable is the environment variable with the value of --connect-timeout if that is not given. An empty
// value counts as unset.
const ConnectVariable = "IBPERF_CONNECT_TIMEOUT"

// Settings holds all options of a command line.
type Settings struct {
	Plan
	Own Own
}

// Own holds a side's own options.
type Own struct {
	Device    string // empty: chosen
	IBPort    int
	GIDIndex  int    // -1: chosen
	PKeyIndex int    // index into the port's P_Key table
	DLID      int    // 0: the peer's own
	Vector    int    // completion vector
	NUMANode  int    // -1: any
	Payload   string // file with the content of messages; empty: none
	PinCores  []int  // CPUs, in their order; nil: not given
	CUDA      int    // number of the GPU that holds the messages; -1: none
	CUDABus   string // its PCI address; empty: CUDA
	ROCm      int    // likewise; -1: none

	// Hints of PCIe requests to the messages (TPH).
	TPHHint   int       // processing hint; -1: none
	TPHCPU    int       // whose steering tag the requests carry; -1: none
	TPHMemory TPHMemory // that the tag is for; empty: none

	CPULatency int // limit of the exit latency of idle states, usec; -1: the host's

	Port           int
	Source         string // local address of the control channel; empty: any
	ConnectTimeout time.Duration
	Persistent     bool
	ReadyFile      string
	SecretFile     string
	MaxMemory      int // bytes; 0: half of the machine's
	MaxTime        time.Duration
	MaxQPs         int

	ReportBoth bool // each direction of a bidirectional test
	Gbits      bool
	Details    bool   // of a comparison
	Output     Output // empty: the text
	Cycles     bool   // latencies in cycles instead of usec
	CPUUtil    bool
	Counters   []string // of the port; nil: none

	Histogram, Unsorted bool // print all samples: sorted, in the order of measurement

	// LimitBW is the minimum bandwidth, in the unit of the text, and LimitRate the minimum rate, in 10^6
	// messages per second; 0: none.
	LimitBW, LimitRate float64

	MinBW   limit.Bandwidth
	MaxLat  []limit.Latency
	MaxBusy float64 // share of the time that a core of a waiting side is busy; 0: none

	Format     Format // empty: text
	FormatFile string // empty: stdout

	JSON      bool
	JSONFile  string // empty: the default, if JSON
	QuietCPU  bool   // no warning about CPU frequencies
	Folder    string // of ib_compare or ib_verify
	Bundle    string // empty: none
	RateSweep bool   // ib_compare measures only latency by rate
	Against   string // folder of the programs of another build, which ib_compare measures in turn with its own; empty: none

	// Of ib_conform.
	Loopback bool
	Run      string // regular expression of ids, empty: all
	Quirks   string // a file
	MayCrash bool
	List     bool

	Resume bool // of ib_verify

	Help    Help
	Version bool
}

// New returns the settings of an empty command line.
func New(t Test) Settings {
	return Settings{Plan: Defaults(t), Own: Own{
		IBPort: 1, GIDIndex: -1, NUMANode: -1, CUDA: -1, ROCm: -1, TPHHint: -1, TPHCPU: -1, CPULatency: -1, Port: 18515, Folder: "ib_compare.out", ConnectTimeout: 10 * time.Second, MaxQPs: maxModes * MaxQPs, MaxTime: 24 * time.Hour,
	}}
}

// Output is the number that --output prints for each size.
type Output string

// The outputs.
const (
	OutputBandwidth Output = "bandwidth"
	OutputRate      Output = "message_rate"
	OutputLatency   Output = "latency"
)

// Format is the format of --format.
type Format string

// The formats.
const (
	FormatJSON       Format = "json"
	FormatCSV        Format = "csv"
	FormatGobench    Format = "gobench"
	FormatPrometheus Format = "prometheus"
)
