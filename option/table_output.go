package option

import (
	"errors"
	"path"
	"slices"
	"strings"
)

var outputOptions = []*Option{
	{
		Name: "report_gbits", Group: groupOutput, Scope: PerSide, Only: Test.Bandwidth, Idle: latency,
		Help:     "print bandwidth in perftest's columns in Gb/s (10^9 bits) instead of MiB/s (2^20 bytes)",
		Perftest: "each side's own, and without effect on results; latency tests accept it without effect",
		value:    toggle(func(s *Settings) *bool { return &s.Own.Gbits }),
	}, {
		Name: "report-both", Group: groupOutput, Scope: PerSide, Only: Test.Bandwidth, Idle: latency,
		Help:     "with --bidirectional: also print each direction, below the sums",
		Perftest: "with several sizes the directions are printed together at the end; the result file always has them; latency tests accept it without effect",
		value:    toggle(func(s *Settings) *bool { return &s.Own.ReportBoth }),
	}, {
		Name: "output", Argument: "WHAT", Group: groupOutput, Scope: PerSide,
		Help:     "print only one number for each size: bandwidth or message_rate (average, in the unit of the text), or latency (mean, in usec)",
		HelpOf:   outputHelp,
		Perftest: "notices and warnings go to stderr; stdout has only the numbers",
		Excludes: []Exclusion{{Name: "compare", Why: "it prints one number for each size, and a comparison has one for each mode"}, {Name: "format", Why: "both choose the content of stdout"}},
		value:    oneOf(func(s *Settings) *Output { return &s.Own.Output }, OutputBandwidth, OutputRate, OutputLatency),
	}, {
		Name: "details", Group: groupOutput, Scope: PerSide,
		Help:  "below the rows, print percentiles, cost, CPUs, and definitions of the numbers; after a comparison also the answers to all questions",
		value: toggle(func(s *Settings) *bool { return &s.Own.Details }),
	}, {
		Name: "report-histogrm", Letter: "H", Group: groupOutput, Scope: PerSide, Only: latency,
		Help:     "print all samples above the row in usec, sorted in ascending order; with --duration the first 4 million",
		Perftest: "also as --report-histogram, the name in perftest's documentation; all samples; in timed runs too; on the client, which measures",
		value:    toggle(func(s *Settings) *bool { return &s.Own.Histogram }),
	}, {
		Name: "report-unsorted", Letter: "U", Group: groupOutput, Scope: PerSide, Only: latency,
		Help:     "print all samples above the row in usec, in the order of measurement",
		Perftest: "all samples; in timed runs too; on the client, which measures",
		value:    toggle(func(s *Settings) *bool { return &s.Own.Unsorted }),
	}, {
		Name: "report-cycles", Letter: "C", Group: groupOutput, Scope: PerSide, Only: latency,
		Help:     "print times of rows and samples in cycles of the CPU's time stamp counter, not in usec",
		Perftest: "column headers name the unit cycles; with --duration too",
		value:    toggle(func(s *Settings) *bool { return &s.Own.Cycles }),
	}, {
		Name: "cpu_util", Group: groupOutput, Scope: PerSide,
		Help: "add a column CPU_Util[%]: busy time of all CPUs of this host", Perftest: "without --duration too",
		value: toggle(func(s *Settings) *bool { return &s.Own.CPUUtil }),
	}, {
		Name: "report-counters", Letter: "W", Argument: "NAMES", Group: groupOutput, Scope: PerSide,
		Help: "print the increase of the port's counters, with commas between their names, such as port_xmit_data,hw_counters/out_of_buffer", Perftest: "not on embedded devices, which have none",
		value: valueOf[[]string]{
			at: func(s *Settings) *[]string { return &s.Own.Counters }, show: func(names []string) string { return strings.Join(names, ",") },
			parse: func(text string) ([]string, error) { return strings.Split(text, ","), nil }, legal: legalCounters,
		},
	}, {
		Name: "limit_bw", Letter: "w", Argument: "RATE", Group: groupOutput, Scope: PerSide, Only: Test.Bandwidth, Idle: latency, IdleWarning: noRate,
		Help:     "exit with status 7 if an average is below RATE, in MiB/s, or in Gb/s with --report_gbits",
		Perftest: "the status is 7, on the side with the option; with several sizes all must reach it; latency tests warn that it has no effect",
		value:    positive(func(s *Settings) *float64 { return &s.Own.LimitBW }),
	}, {
		Name: "limit_msgrate", Letter: "y", Argument: "MPPS", Group: groupOutput, Scope: PerSide, Only: Test.Bandwidth, Idle: latency, IdleWarning: noRate,
		Help:     "exit with status 7 if a message rate is below MPPS million messages per second",
		Perftest: "does not need --limit_bw; the status is 7; latency tests warn that it has no effect",
		value:    positive(func(s *Settings) *float64 { return &s.Own.LimitRate }),
	}, {
		Name: "min-bw", Argument: "RATE", Group: groupOutput, Scope: PerSide, Only: Test.Bandwidth,
		Help:  "exit with status 7 if an average is below RATE, in Gb/s such as 350G, or as a share of the link rate such as 90%",
		value: minBandwidth,
	}, {
		Name: "max-lat", Argument: "FIGURE=TIME", Group: groupOutput, Scope: PerSide, Only: latency,
		Help:  "exit with status 7 if a figure is above TIME, a number with a unit, such as p99=5us; with --rate_limit of the response time, a round trip; may be given again, or with commas, for " + figures(),
		value: maxLatencies{},
	}, {
		Name: "max-busy", Argument: "PERCENT", Group: groupOutput, Scope: PerSide,
		Help:  "exit with status 7 if the side that waits for messages keeps a core busy for more than PERCENT of the time, such as 50%; in ib_write_bw the sender, if the receiver ignores messages",
		value: maxBusy,
	}, {
		Name: "format", Argument: "FORMAT", Group: groupOutput, Scope: PerSide,
		Help:    "print results as json (the result file; with --run_infinitely a line for each interval), csv (a line for each row), gobench (Go's benchmark format, a line for each round) or prometheus (metrics)",
		Default: "text in perftest's columns",
		value:   oneOf(func(s *Settings) *Format { return &s.Own.Format }, FormatJSON, FormatCSV, FormatGobench, FormatPrometheus),
	}, {
		Name: "format_file", Argument: "PATH", Group: groupOutput, Scope: PerSide,
		Help:  "write the output of --format to this file, and the text to stdout; metrics are renewed after each interval of --run_infinitely",
		value: text(func(s *Settings) *string { return &s.Own.FormatFile }, nil),
	}, {
		Name: "out_json", Group: groupOutput, Scope: PerSide,
		Help: "write a result file", Perftest: "perftest's members test_info and results are members of a result file, which has all rows, definitions and units; with --output the members of the full text are there too; comparisons have neither",
		value: toggle(func(s *Settings) *bool { return &s.Own.JSON }),
	}, {
		Name: "out_json_file", Argument: "PATH", Group: groupOutput, Scope: PerSide,
		Help:     "name of the result file; implies --out_json",
		Default:  "the program's name with .json, on a server with .server.json",
		Perftest: "another default, which differs between the sides",
		value:    text(func(s *Settings) *string { return &s.Own.JSONFile }, nil),
	}, {
		Name: "dir", Argument: "DIR", Group: groupOutput, Scope: Client, Only: noTest, Compare: true,
		Help:  "write verdict, result files, plots and index.html into DIR",
		value: text(func(s *Settings) *string { return &s.Own.Folder }, nil),
	}, {
		Name: "bundle", Argument: "FILE", Group: groupOutput, Scope: Client, Only: noTest, Compare: true,
		Help: "also pack results, page and capabilities of both devices into one .tar.gz file for others; " +
			"it contains the names and addresses of both hosts",
		value: text(func(s *Settings) *string { return &s.Own.Bundle }, legalBundle),
	}, {
		Name: "rate-sweep", Group: groupLength, Scope: Client, Only: noTest, Compare: true,
		Help:  "measure only the latency of WRITE and SEND by the rate at which messages are due, up to more than the fastest mode answers (RC, XRC); takes a minute",
		value: toggle(func(s *Settings) *bool { return &s.Own.RateSweep }),
	}, {
		Name: "CPU-freq", Letter: "F", Group: groupOutput, Scope: PerSide,
		Help: "do not warn about CPU frequency scaling", Perftest: same,
		value: toggle(func(s *Settings) *bool { return &s.Own.QuietCPU }),
	}, {
		Name: "help", Letter: "h", Group: groupOutput, Scope: PerSide,
		Help: "print this text", HelpOf: helpHelp, Perftest: "the exit status is 0; --help=all explains all options",
		value: valueOf[Help]{at: func(s *Settings) *Help { return &s.Own.Help }, show: Help.text, parse: parseHelp},
	}, {
		Name: "version", Letter: "V", Group: groupOutput, Scope: PerSide,
		Help: "print the version", Perftest: "the exit status is 0",
		value: toggle(func(s *Settings) *bool { return &s.Own.Version }),
	},
}

const noRate = "a latency test measures no rate, and never fails for one"

// legalCounters refuses names of files outside of the port's folder.
func legalCounters(names []string) error {
	for _, name := range names {
		if folder, file := path.Split(name); file == "" || file[0] == '.' || !slices.Contains([]string{"", "counters/", "hw_counters/"}, folder) {
			return errors.New("write names of files in counters/ or hw_counters/ of the port's folder in sysfs")
		}
	}
	return nil
}
