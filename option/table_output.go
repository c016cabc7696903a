package option

import (
	"errors"
	"path"
	"slices"
	"strings"
)

var outputOptions = []*Option{
	{
		Name: "report_gbits", Group: groupOutput, Whose: Each, Only: Test.Bandwidth, Idle: latency,
		Help:     "print bandwidth in Gb/s (10^9 bits) instead of MiB/s (2^20 bytes)",
		Perftest: "each side's own, and no result depends on it; latency tests take it without effect",
		value:    toggle(func(s *Settings) *bool { return &s.Own.Gbits }),
	}, {
		Name: "report-both", Group: groupOutput, Whose: Each, Only: Test.Bandwidth, Idle: latency,
		Help:     "with --bidirectional: print each direction too, below the sums",
		Perftest: "with several sizes the directions stand together at the end; the result file always has them; latency tests take it without effect",
		value:    toggle(func(s *Settings) *bool { return &s.Own.ReportBoth }),
	}, {
		Name: "output", Argument: "WHAT", Group: groupOutput, Whose: Each,
		Help:     "print one bare number for each size: bandwidth or message_rate (average, in the unit of the text), or latency (mean, in usec)",
		Perftest: "notices and warnings go to stderr: nothing but the numbers is on stdout",
		Excludes: []Exclusion{{Name: "compare", Why: "it prints one number for each size, and a comparison has one for each mode"}, {Name: "format", Why: "each says what stdout has"}},
		value:    oneOf(func(s *Settings) *Output { return &s.Own.Output }, OutputBandwidth, OutputRate, OutputLatency),
	}, {
		Name: "report-histogrm", Letter: "H", Group: groupOutput, Whose: Each, Only: latency,
		Help:     "print all samples before the row, the smallest first, in usec; with --duration the first 4 million",
		Perftest: "also by the name in perftest's documentation, --report-histogram; all samples; in a timed run too; on the client, which measures",
		value:    toggle(func(s *Settings) *bool { return &s.Own.Histogram }),
	}, {
		Name: "report-unsorted", Letter: "U", Group: groupOutput, Whose: Each, Only: latency,
		Help:     "print all samples before the row, in the order in which they were taken",
		Perftest: "all samples; in a timed run too; on the client, which measures",
		value:    toggle(func(s *Settings) *bool { return &s.Own.Unsorted }),
	}, {
		Name: "report-cycles", Letter: "C", Group: groupOutput, Whose: Each, Only: latency,
		Help:     "print times of rows and samples in cycles of the CPU's time stamp counter, not in usec",
		Perftest: "the heads of the columns say cycles; with --duration too",
		value:    toggle(func(s *Settings) *bool { return &s.Own.Cycles }),
	}, {
		Name: "cpu_util", Group: groupOutput, Whose: Each,
		Help: "add a column CPU_Util[%]: part of the time of all CPUs of this host that was not idle", Perftest: "without --duration too",
		value: toggle(func(s *Settings) *bool { return &s.Own.CPUUtil }),
	}, {
		Name: "report-counters", Letter: "W", Argument: "NAMES", Group: groupOutput, Whose: Each,
		Help: "print what counters of the port grew by, with commas between their names, such as port_xmit_data or hw_counters/out_of_buffer", Perftest: "not on embedded devices, which have none",
		value: of[[]string]{
			at: func(s *Settings) *[]string { return &s.Own.Counters }, show: func(names []string) string { return strings.Join(names, ",") },
			parse: func(text string) ([]string, error) { return strings.Split(text, ","), nil }, legal: legalCounters,
		},
	}, {
		Name: "limit_bw", Letter: "w", Argument: "RATE", Group: groupOutput, Whose: Each, Only: Test.Bandwidth,
		Help:     "end with status 7 if an average is below so many MiB/s, or Gb/s with --report_gbits",
		Perftest: "the status is 7, of the side that has the option; with several sizes all have to pass; latency tests refuse it, where perftest's never fail",
		value:    positive(func(s *Settings) *float64 { return &s.Own.LimitBW }),
	}, {
		Name: "limit_msgrate", Letter: "y", Argument: "MPPS", Group: groupOutput, Whose: Each, Only: Test.Bandwidth,
		Help:     "end with status 7 if a message rate is below so many millions a second",
		Perftest: "needs no --limit_bw beside it; the status is 7; latency tests refuse it, where perftest's never fail",
		value:    positive(func(s *Settings) *float64 { return &s.Own.LimitRate }),
	}, {
		Name: "format", Argument: "FORMAT", Group: groupOutput, Whose: Each,
		Help:    "print results as json (the result file), csv (a line for each row), or gobench (Go's benchmark format: a line for each round)",
		Default: "perftest's text",
		value:   oneOf(func(s *Settings) *Format { return &s.Own.Format }, FormatJSON, FormatCSV, FormatGobench),
	}, {
		Name: "format_file", Argument: "PATH", Group: groupOutput, Whose: Each,
		Help:  "write what --format asks for to this file, and perftest's text to stdout",
		value: text(func(s *Settings) *string { return &s.Own.FormatFile }, nil),
	}, {
		Name: "out_json", Group: groupOutput, Whose: Each,
		Help: "write a result file", Perftest: "the file has a format of its own, with definitions and units in it",
		value: toggle(func(s *Settings) *bool { return &s.Own.JSON }),
	}, {
		Name: "out_json_file", Argument: "PATH", Group: groupOutput, Whose: Each,
		Help:     "name of the result file; implies --out_json",
		Default:  "the program's name with .json, on a server with .server.json",
		Perftest: "another default, different on the two sides",
		value:    text(func(s *Settings) *string { return &s.Own.JSONFile }, nil),
	}, {
		Name: "dir", Argument: "DIR", Group: groupOutput, Whose: Client, Only: noTest, Compare: true,
		Help:  "write verdict, result files, plots and index.html into DIR",
		value: text(func(s *Settings) *string { return &s.Own.Folder }, nil),
	}, {
		Name: "bundle", Argument: "FILE", Group: groupOutput, Whose: Client, Only: noTest, Compare: true,
		Help: "also pack results, page, and what both devices can do into one .tar.gz file to be sent to others; " +
			"it has the names and addresses of both hosts in it",
		value: text(func(s *Settings) *string { return &s.Own.Bundle }, legalBundle),
	}, {
		Name: "CPU-freq", Letter: "F", Group: groupOutput, Whose: Each,
		Help: "do not warn about CPU frequency scaling", Perftest: same,
		value: toggle(func(s *Settings) *bool { return &s.Own.QuietCPU }),
	}, {
		Name: "help", Letter: "h", Group: groupOutput, Whose: Each,
		Help: "print this text", Perftest: "the exit status is 0",
		value: toggle(func(s *Settings) *bool { return &s.Own.Help }),
	}, {
		Name: "version", Letter: "V", Group: groupOutput, Whose: Each,
		Help: "print the version", Perftest: "the exit status is 0",
		value: toggle(func(s *Settings) *bool { return &s.Own.Version }),
	},
}

// legalCounters refuses names that would leave the folder of a port.
func legalCounters(names []string) error {
	for _, name := range names {
		if folder, file := path.Split(name); file == "" || file[0] == '.' || !slices.Contains([]string{"", "counters/", "hw_counters/"}, folder) {
			return errors.New("write names of files in counters/ or hw_counters/ of the port's folder in sysfs")
		}
	}
	return nil
}
