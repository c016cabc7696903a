package option

// CompareProgram is the name of the program that makes runs of all tests.
const CompareProgram = "ib_compare"

// InCompare tells whether ib_compare has the option: agreed ones that hold for all of its
// runs, and a side's own, but for those about the text and the file of a single run.
func (o *Option) InCompare() bool {
	return o.Compare || o.Whose != Agreed && o.Only == nil && o.Name != "out_json" && o.Name != "out_json_file"
}

// compareDefaults say what holds without an option where ib_compare has a default of its own.
var compareDefaults = map[string]string{
	"size": "all", "duration": "0.1", "rounds": "20", "touch": string(TouchRead),
}

// CompareHelp is [Option.HelpText] for ib_compare.
func (o *Option) CompareHelp() string {
	if d, own := compareDefaults[o.Name]; own {
		return o.helpText(d)
	}
	return o.HelpText(Test{})
}
