package option

import (
	"slices"
	"strconv"
	"time"
)

// CompareProgram is the name of the program that makes runs of all tests.
const CompareProgram = "ib_compare"

// CompareDuration is what ib_compare measures a row for in all its rounds, if nothing else
// is asked for: all runs of two cores on one host take two minutes then.
const CompareDuration = 100 * time.Millisecond

// InCompare tells whether ib_compare has the option: agreed ones that hold for all of its
// runs, and a side's own, but for those about the text and the file of a single run.
func (o *Option) InCompare() bool {
	return o.Compare || o.Whose != Agreed && o.Only == nil && !slices.Contains(ofOneRun, o.Name)
}

// ofOneRun are options about the text and the file of a single run.
var ofOneRun = []string{"out_json", "out_json_file", "output", "format", "format_file", "cpu_util", "report-counters"}

// compareDefaults say what holds without an option where ib_compare has a default of its own.
var compareDefaults = map[string]string{
	"size": "all", "touch": string(TouchRead), "rounds": strconv.Itoa(DefaultRounds),
	"duration": strconv.FormatFloat(CompareDuration.Seconds(), 'f', -1, 64),
}

// CompareHelp is [Option.HelpText] for ib_compare.
func (o *Option) CompareHelp() string {
	if d, own := compareDefaults[o.Name]; own {
		return o.helpText(d)
	}
	return o.HelpText(Test{})
}
