package verdict

import (
	"slices"

	"github.com/ibperf/ibperf/reports/phrase"
	"github.com/ibperf/ibperf/result"
)

// promised returns the answers of the devices.
func (f *findings) promised() (all []Promise) {
	for _, p := range f.promises {
		all = append(all, Promise{Answer: p.answer, Devices: p.devices, Ops: p.ops, Broken: p.denied})
	}
	return all
}

// list returns the checks that were made.
func (c *checks) list() (all []Check) {
	for _, k := range []struct {
		modes string
		*checkedMessages
	}{{"data", &c.data}, {"forced", &c.forced}, {"completion", &c.other}} {
		if k.Messages > 0 {
			all = append(all, Check{k.modes, k.Messages, k.Torn, k.Stale, k.Duplicates})
		}
	}
	return all
}

// allowedLine says what the devices promise, and how many messages were checked.
func (b *Brief) allowedLine() (Line, bool) {
	if len(b.Promises) == 0 && len(b.Checks) == 0 {
		return Line{}, false
	}
	promises := slices.Clone(b.Promises)
	slices.SortStableFunc(promises, func(a, b Promise) int { return map[bool]int{true: -1}[a.Broken] - map[bool]int{true: -1}[b.Broken] })
	var texts []string
	for _, p := range promises {
		texts = append(texts, p.text(" for "+phrase.List(p.Ops)))
	}
	checked := b.checkedText()
	const room = MaxWidth - labelWidth
	if len(texts) == 0 {
		return Line{"allowed", "Allowed", fits(room, checked)}, true
	}
	checked = "; " + checked
	if width(texts[0]+checked) > room {
		texts[0] = promises[0].text("")
	}
	return Line{"allowed", "Allowed", listed(texts, "; ", room-width(checked)) + checked}, true
}

// checkedText returns how many messages were checked and how many were wrong: those of mode data, if it was checked
// and the other modes had none that was wrong.
func (b *Brief) checkedText() string {
	var messages, wrong uint64
	data := slices.ContainsFunc(b.Checks, func(c Check) bool { return c.Modes == "data" })
	for _, c := range b.Checks {
		if bad := c.Torn + c.Stale + c.Duplicates; c.Modes != "completion" || bad > 0 || !data {
			messages += c.Messages
			wrong += bad
		}
	}
	promise := slices.ContainsFunc(b.Promises, func(p Promise) bool { return p.holds() })
	switch {
	case messages == 0:
		return "no message was checked"
	case promise && !data:
		return "not checked in mode data"
	}
	return thousands(wrong) + " of " + thousands(messages) + " messages wrong"
}

// holds reports whether the promise allows mode data.
func (p *Promise) holds() bool {
	return !p.Broken && slices.Contains([]string{result.OrderWhole, result.OrderBlocks}, p.Answer)
}

// text returns what is allowed for operations.
func (p *Promise) text(ops string) string {
	devices, verb := phrase.List(p.Devices), " promises "
	if len(p.Devices) > 1 {
		verb = " promise "
	}
	switch {
	case p.Broken && slices.Contains([]string{result.OrderWhole, result.OrderBlocks}, p.Answer):
		return devices + verb + "data order" + ops + ", and broke it"
	case p.Answer == result.OrderWhole:
		return devices + verb + "data order" + ops
	case p.Answer == result.OrderBlocks:
		return devices + verb + "order in 128-byte blocks" + ops
	case p.Answer == result.OrderNone:
		return devices + verb + "no data order" + ops
	}
	return "data order of " + devices + " is not known" + ops
}
