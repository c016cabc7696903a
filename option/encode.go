package option

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
)

// Encode returns the plan's JSON form, an object with a member for each agreed option. It does not
// hold the test.
func (p *Plan) Encode() ([]byte, error) { return p.encode(func(*Option) bool { return true }) }

// EncodeGiven returns the JSON form without options whose value is that of [Defaults], so that the
// peer must know only the options that are used.
func (p *Plan) EncodeGiven() ([]byte, error) {
	s := Settings{Plan: *p}
	return p.encode(func(o *Option) bool { return o.isGiven(&s) })
}

// encode returns the JSON form with some of the options.
func (p *Plan) encode(has func(*Option) bool) ([]byte, error) {
	s := Settings{Plan: *p}
	var b bytes.Buffer
	b.WriteByte('{')
	for _, o := range AgreedOptions() {
		if !has(o) {
			continue
		}
		v, err := json.Marshal(o.value.encode(&s))
		if err != nil {
			return nil, fmt.Errorf("write %s: %w", o.JSON, err)
		}
		if b.Len() > 1 {
			b.WriteByte(',')
		}
		fmt.Fprintf(&b, "%q:%s", o.JSON, v)
	}
	b.WriteByte('}')
	return b.Bytes(), nil
}

// Decode returns the plan of a test from its JSON form, without a check. Missing members have the
// values of [Defaults]. Decode also returns the names of unknown members.
func Decode(t Test, data []byte) (p Plan, unknown []string, err error) {
	var members map[string]json.RawMessage
	if err := json.Unmarshal(data, &members); err != nil {
		return p, nil, fmt.Errorf("parse JSON: %w", err)
	}
	if members == nil {
		return p, nil, errors.New("parse JSON: want an object")
	}
	s := New(t)
	for _, o := range AgreedOptions() {
		member, ok := members[o.JSON]
		if !ok {
			continue
		}
		delete(members, o.JSON)
		if err := o.value.decode(&s, member); err != nil {
			return p, nil, fmt.Errorf("parse %s: %w", o.JSON, err)
		}
	}
	for name := range members {
		unknown = append(unknown, name)
	}
	return s.Plan, unknown, nil
}

// Definitions returns the meaning of each member of the JSON form, and the units of numbers.
func Definitions() (definitions, units map[string]string) {
	definitions, units = map[string]string{}, map[string]string{}
	for _, o := range AgreedOptions() {
		definitions[o.JSON] = cmp.Or(o.Meaning, o.Help)
		if o.Unit != "" {
			units[o.JSON] = o.Unit
		}
	}
	return definitions, units
}

// Key returns a text that is the same for plans whose rows can be compared. It has every option
// except the free ones.
func (p *Plan) Key() string {
	s := Settings{Plan: *p}
	var b strings.Builder
	b.WriteString(p.Program())
	if p.Devices > 1 {
		fmt.Fprintf(&b, " on %d devices", p.Devices)
	}
	for _, o := range AgreedOptions() {
		if !o.Free {
			b.WriteString(" " + o.Written(&s))
		}
	}
	return b.String()
}

// Apart returns the options in which two plans of one program differ so that their rows cannot be compared, as the
// command line has them: "--qp 1 and --qp 4".
func (p *Plan) Apart(other *Plan) (all []string) {
	a, b := Settings{Plan: *p}, Settings{Plan: *other}
	for _, o := range AgreedOptions() {
		if o.Free || o.Text(&a) == o.Text(&b) {
			continue
		}
		texts := []string{o.Written(&a), o.Written(&b)}
		for i, s := range []*Settings{&a, &b} {
			if o.Text(s) == "" {
				texts[i] = "no --" + o.Name
			}
		}
		all = append(all, strings.Join(texts, " and "))
	}
	if p.Devices != other.Devices {
		all = append(all, fmt.Sprintf("--ib-dev with %d and %d devices", p.Devices, other.Devices))
	}
	return all
}
