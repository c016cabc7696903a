package option

import (
	"slices"
	"strconv"
	"time"
)

// CompareProgram is the name of the program that runs all tests.
const CompareProgram = "ib_compare"

// Defaults of ib_compare alone, with which a comparison takes three minutes on a host with two cores.
const (
	CompareDuration = 40 * time.Millisecond // of a row, in all its runs
	CompareRuns     = 5
	CompareRounds   = 2 // of each run
)

// InCompare reports whether ib_compare has the option: agreed options that hold for all of its
// runs, and each side's own options except those about the output of a single run.
func (o *Option) InCompare() bool {
	return o.Compare || o.Scope != Agreed && o.Only == nil && !slices.Contains(singleRunOptions, o.Name)
}

// singleRunOptions are the options about the output of a single run.
var singleRunOptions = []string{"out_json", "out_json_file", "output", "format", "format_file", "cpu_util", "report-counters"}

// compareDefaults are the defaults that ib_compare alone has.
var compareDefaults = map[string]string{
	"size": "all", "touch": string(TouchRead), "rounds": strconv.Itoa(CompareRounds), "runs": strconv.Itoa(CompareRuns), "seed": "random",
	"duration": strconv.FormatFloat(CompareDuration.Seconds(), 'f', -1, 64),
}

// CompareHelp is [Option.HelpText] for ib_compare.
func (o *Option) CompareHelp() string {
	if d, own := compareDefaults[o.Name]; own {
		return o.withDefault(o.Help, d)
	}
	return o.HelpText(Test{})
}
