package option

import (
	"fmt"
	"slices"
	"time"
)

// CompareProgram is the name of the program that runs all tests.
const CompareProgram = "ib_compare"

// Defaults of ib_compare alone, with which a comparison takes three minutes on a host with two cores.
const (
	CompareDuration = 40 * time.Millisecond // of a row, in all its runs
	CompareRuns     = 5
	CompareRounds   = 2 // of each run

	// A stall of the host leaves a backlog, which takes ten times as long to go at 90 % of the maximum rate. Rounds of 20 ms
	// outlast the backlog of a stall of 2 ms, and the median of three leaves out one with a longer stall.
	RateDuration = 300 * time.Millisecond // of a row at a rate, in all its runs
	RateRounds   = 3                      // of each run

	AgainstDuration = 400 * time.Millisecond // with --against: of a row of each build, in all its runs
	AgainstRuns     = 40                     // of each build
)

// InCompare reports whether ib_compare has the option: agreed options that hold for all of its
// runs, and each side's own options except those about the output of a single run.
func (o *Option) InCompare() bool {
	return o.Compare || o.Scope != Agreed && o.Only == nil && !slices.Contains(singleRunOptions, o.Name)
}

// singleRunOptions are the options about the output of a single run.
var singleRunOptions = []string{"out_json", "out_json_file", "output", "format", "format_file", "cpu_util", "report-counters", "max-busy"}

// compareDefaults are the defaults that ib_compare alone has.
var compareDefaults = map[string]string{
	"size": "all; with --against 64 and 64K", "touch": string(TouchRead), "seed": "random",
	"rounds":   fmt.Sprintf("%d, at a rate %d", CompareRounds, RateRounds),
	"runs":     fmt.Sprintf("%d, with --against %d of each build", CompareRuns, AgainstRuns),
	"duration": fmt.Sprintf("%v, at a rate %v, with --against %v of each build", CompareDuration.Seconds(), RateDuration.Seconds(), AgainstDuration.Seconds()),
}

// CompareHelp is [Option.HelpText] for ib_compare.
func (o *Option) CompareHelp() string {
	if o.Name == deviceOption {
		return o.withDefault(oneDevice, o.Default)
	}
	if d, own := compareDefaults[o.Name]; own {
		return o.withDefault(o.Help, d)
	}
	return o.HelpText(Test{})
}

// ConformProgram is the name of the program that runs the conformance suite.
const ConformProgram = "ib_conform"

// ConformExitStatus has the meaning of its exit statuses, in their order; empty for statuses of other
// programs.
var ConformExitStatus = []string{
	"every statement that was run holds, or differs in a way that a quirk or the specification allows",
	"any other failure, including interruption",
	"wrong options, or devices that cannot reach each other",
	"no usable device, here or at the server, or no permission",
	"peer unreachable, lost or timed out, or it sent a malformed message",
	"", "", "",
	"a statement does not hold",
}

// conformOptions are those that ib_conform alone has.
var conformOptions = []*Option{
	{
		Name: "loopback", Group: groupStatements, Scope: Client, Only: noTest,
		Help:  "run without a server: peer processes run on this host too",
		value: toggle(func(s *Settings) *bool { return &s.Own.Loopback }),
	}, {
		Name: "run", Argument: "REGEXP", Group: groupStatements, Scope: Client, Only: noTest,
		Help: "run the statements whose whole id matches, such as 'CQ-.*|MR-24'", Default: "all",
		value: text(func(s *Settings) *string { return &s.Own.Run }, nil),
	}, {
		Name: "quirks", Argument: "FILE", Group: groupStatements, Scope: Client, Only: noTest,
		Help:  "file with quirks of the device, in addition to the built-in ones; docs/CONFORMANCE.md has its format",
		value: text(func(s *Settings) *string { return &s.Own.Quirks }, nil),
	}, {
		Name: "may-crash", Group: groupStatements, Scope: Client, Only: noTest,
		Help:  "run on an RDMA device although a faulty driver or firmware may crash the host",
		value: toggle(func(s *Settings) *bool { return &s.Own.MayCrash }),
	}, {
		Name: "list", Group: groupStatements, Scope: Client, Only: noTest,
		Help:  "print the statements with their sources, and run nothing",
		value: toggle(func(s *Settings) *bool { return &s.Own.List }),
	},
}

// conformShares are the options of the tests that ib_conform has too.
var conformShares = []string{
	"port", "bind_source_ip", "connect-timeout", "ready-file", "secret-file",
	"ib-dev", "ib-port", "gid-index", "out_json", "out_json_file", "help", "version",
}

// InConform reports whether ib_conform has the option.
func (o *Option) InConform() bool {
	return slices.Contains(conformOptions, o) || slices.Contains(conformShares, o.Name)
}

// ConformHelp is [Option.HelpText] for ib_conform.
func (o *Option) ConformHelp() string {
	switch {
	case o.Name == deviceOption:
		return o.withDefault(oneDevice, o.Default)
	case o.Name == "out_json_file":
		return o.withDefault(o.Help, ConformProgram+".json")
	case o.Group != groupStatements:
		return o.HelpText(Test{})
	case o.Default != "":
		return o.Help + " (default " + o.Default + ")"
	}
	return o.Help // without "client: ", as --loopback has no client
}

// VerifyProgram is the name of the program that checks the order of data for a long time.
const VerifyProgram = "ib_verify"

// Defaults of ib_verify alone.
const (
	VerifyDuration = time.Minute // of all checks
	VerifyFolder   = "ib_verify.out"
)

// VerifySizes returns the default message sizes of ib_verify: a marker alone, one block, several blocks, and
// several packets.
func VerifySizes() []int { return []int{8, 128, 4096, 65536} }

// VerifyExitStatus has the meaning of the exit statuses of ib_verify, in their order.
var VerifyExitStatus = append(slices.Clone(ExitStatus[:6]), "the device promises data order for no operation")

// verifyOptions are those that ib_verify alone has.
var verifyOptions = []*Option{
	{
		Name: "resume", Group: groupLength, Scope: Client, Only: noTest,
		Help:  "continue the checks of the journal in the folder of --dir, with its options; also after a crash of either side",
		value: toggle(func(s *Settings) *bool { return &s.Own.Resume }),
	},
}

// verifyShares are the options of other programs that ib_verify has too.
var verifyShares = []string{
	"port", "bind_source_ip", "connect-timeout", "persistent", "ready-file", "secret-file", "max-memory", "max-qp", "max-time",
	"ib-dev", "ib-port", "gid-index", "pin_cores", "numa_node",
	"connection", "size", "qp", "mtu", "tx-depth", "duration", "force-data",
	"dir", "bundle", "help", "version",
}

// InVerify reports whether ib_verify has the option.
func (o *Option) InVerify() bool {
	return slices.Contains(verifyOptions, o) || slices.Contains(verifyShares, o.Name)
}

// VerifySettings returns the settings of an empty command line of ib_verify. The plan is that of its WRITEs.
func VerifySettings() Settings {
	s := New(Test{Op: OpWrite, Kind: KindBandwidth})
	s.Sizes, s.Duration, s.Own.Folder = VerifySizes(), VerifyDuration, VerifyFolder
	s.Both, s.Verify, s.Completion, s.PostList = true, true, ModeAuto, 0
	return s
}

// VerifyHelp is [Option.HelpText] for ib_verify.
func (o *Option) VerifyHelp() string {
	s := VerifySettings()
	switch o.Name {
	case deviceOption:
		return o.withDefault(oneDevice, o.Default)
	case "size":
		return o.withDefault(o.Help, o.Text(&s))
	case "duration":
		return o.withDefault("check for TIME in all, in seconds or with a unit such as 12h or 3d", o.Text(&s))
	case "dir":
		return o.withDefault("write journal and report into DIR", o.Text(&s))
	case "bundle":
		return o.withDefault("also pack journal, report and capabilities of both devices into one .tar.gz file with a SHA-256 of each; "+
			"it contains the names and addresses of both hosts", "")
	case "connection":
		return o.withDefault("transport of the QPs: RC, UC, XRC or, on EFA, SRD", o.Text(&s))
	case "resume":
		return o.Help // without "client: ", as the server needs no options
	}
	return o.HelpText(s.Test)
}
