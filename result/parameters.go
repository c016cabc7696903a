package result

import (
	"encoding/json"
	"slices"

	"github.com/ibperf/ibperf/option"
)

// Parameters are the plan that both sides followed and what the run made of it. In JSON they are one
// object.
type Parameters struct {
	option.Plan
	Extent
	read []byte // until the test is known
}

// Extent is the extent of a run.
type Extent struct {
	Modes   []option.Mode `json:"modes"`             // in the order in which they were run
	Relaxed bool          `json:"relaxed_ordering"`  // requested for messages in modes poll, adaptive and event
	Decided []string      `json:"decided,omitempty"` // options whose values the run decided, by their names in JSON
}

// Asked returns the plan without what the run decided.
func (p *Parameters) Asked() option.Plan {
	asked, plain := option.Settings{Plan: p.Plan}, option.New(p.Test)
	for _, o := range option.AgreedOptions() {
		if slices.Contains(p.Decided, o.JSON) {
			o.Copy(&asked, &plain)
		}
	}
	return asked.Plan
}

// Decide replaces the plan by the one that was executed, and notes which options differ.
func (p *Parameters) Decide(executed option.Plan) {
	before, after := option.Settings{Plan: p.Plan}, option.Settings{Plan: executed}
	p.Decided = nil
	for _, o := range option.AgreedOptions() {
		if o.Text(&before) != o.Text(&after) {
			p.Decided = append(p.Decided, o.JSON)
		}
	}
	p.Plan = executed
}

// MarshalJSON joins both parts in one object.
func (p Parameters) MarshalJSON() ([]byte, error) {
	plan, err := p.Plan.Encode()
	if err != nil {
		return nil, err
	}
	extent, err := json.Marshal(p.Extent)
	if err != nil {
		return nil, err
	}
	return slices.Concat(extent[:len(extent)-1], []byte(","), plan[1:]), nil
}

// UnmarshalJSON keeps the plan for [Parameters.decode].
func (p *Parameters) UnmarshalJSON(data []byte) error {
	p.read = slices.Clone(data)
	return json.Unmarshal(data, &p.Extent)
}

// decode reads the plan of a test as any version wrote it. Missing members have the test's default.
// Unknown members are from a later release and ignored.
func (p *Parameters) decode(t option.Test) (err error) {
	data := p.read
	if p.read = nil; data == nil {
		data = []byte("{}")
	}
	p.Plan, _, err = option.Decode(t, data)
	if p.Completion == "compare" { // versions 1 and 2
		p.Completion, p.Compare = option.ModeAuto, true
	}
	return err
}

// A Setting is a parameter in words.
type Setting struct {
	Option *option.Option
	Text   string
	Header bool // the header over the rows shows it too
}

// Settings returns the parameters that are options of the test and have a value.
func (p *Parameters) Settings() []Setting {
	s := &option.Settings{Plan: p.Plan}
	var all []Setting
	for _, o := range option.AgreedOptions() {
		if text := o.Shown(s); text != "" && o.In(p.Test) {
			all = append(all, Setting{o, text, o.Header == option.Always || o.Header == option.WhenSet && o.IsSet(s)})
		}
	}
	return all
}
