package result

import (
	"encoding/json"
	"slices"

	"github.com/ibperf/ibperf/option"
)

// The kinds of a test.
const (
	KindLatency   = option.KindLatency
	KindBandwidth = option.KindBandwidth
)

// Parameters are the plan that both sides followed, with all that the run decided, and
// what followed from it. In JSON they are one object.
type Parameters struct {
	option.Plan
	Extent
	read []byte // until it is known of which test
}

// Extent is what a plan came to.
type Extent struct {
	Modes   []string `json:"modes"`            // as run, in order
	Relaxed bool     `json:"relaxed_ordering"` // asked for of messages in modes poll and event
}

// MarshalJSON lays both parts together.
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

// decode reads the plan of a test, as any version wrote it. What is missing is that test's
// default; members that are not known are of a later release, and left out.
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

// Setting is a parameter in words.
type Setting struct {
	Option *option.Option
	Text   string
	Header bool // it is shown over the rows, too
}

// Settings returns all parameters that the test has as options and that have a value.
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
