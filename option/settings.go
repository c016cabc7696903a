package option

import "time"

// DeviceVariable is the variable of the environment that names the device where --ib-dev does
// not. An empty one names none.
const DeviceVariable = "IBPERF_DEVICE"

// Settings is all that a command line says, the server's name apart.
type Settings struct {
	Plan
	Own Own
}

// Own is what concerns one side only.
type Own struct {
	Device    string // empty: chosen
	IBPort    int
	GIDIndex  int    // -1: chosen
	PKeyIndex int    // into the port's table
	DLID      int    // 0: the one that the peer tells
	Vector    int    // completion vector
	NUMANode  int    // -1: any
	Payload   string // file of what messages are filled with; empty: none
	PinCores  []int  // CPUs, in their order; nil: none are named

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
	Output     Output // empty: all of the text
	Cycles     bool   // latencies in cycles instead of usec
	CPUUtil    bool
	Counters   []string // of the port; nil: none

	Histogram, Unsorted bool // all samples are printed: sorted, and in their order

	// What a run has to reach, 0: nothing. In the unit that bandwidth is printed in, and in
	// 10^6 messages a second.
	LimitBW, LimitRate float64

	Format     Format // empty: text
	FormatFile string // empty: stdout

	JSON     bool
	JSONFile string // empty: the default, if JSON
	QuietCPU bool   // no warning about CPU frequencies
	Folder   string // of ib_compare
	Bundle   string // empty: none

	// Of ib_conform.
	Loopback bool
	Run      string // regular expression of ids, empty: all
	Quirks   string // a file
	MayCrash bool
	List     bool

	Help, Version bool
}

// New returns the settings of an empty command line.
func New(t Test) Settings {
	return Settings{Plan: Defaults(t), Own: Own{
		IBPort: 1, GIDIndex: -1, NUMANode: -1, Port: 18515, Folder: "ib_compare.out", ConnectTimeout: 10 * time.Second, MaxQPs: mostWays * MaxQPs, MaxTime: MaxTime,
	}}
}

// Output is the one number that a bare output has for each size.
type Output string

// The outputs.
const (
	OutputBandwidth Output = "bandwidth"
	OutputRate      Output = "message_rate"
	OutputLatency   Output = "latency"
)

// Format is what results are printed as, beside text.
type Format string

// The formats.
const (
	FormatJSON    Format = "json"
	FormatCSV     Format = "csv"
	FormatGobench Format = "gobench"
)
