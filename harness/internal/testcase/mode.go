package testcase

import (
	"slices"

	"github.com/ibperf/ibperf/option"
	"github.com/ibperf/ibperf/result"
)

// Mode is a completion mode with its variant. Each mode has QPs of its own and a row for each size.
type Mode struct {
	Completion option.Mode
	Variant    option.Variant
}

// String returns the mode's name, as in rows.
func (m Mode) String() string {
	r := result.Row{Mode: m.Completion, Variant: m.Variant}
	return r.Name()
}

// detections holds, for each completion mode, whether a worker detects messages by markers in memory or by
// a completion counter, otherwise by completions, whether it sleeps until a completion event, and whether
// it spins before that.
var detections = map[option.Mode]struct{ inMemory, byCounter, sleeps, spins bool }{
	option.ModeData:     {inMemory: true},
	option.ModePoll:     {},
	option.ModeCounter:  {byCounter: true},
	option.ModeAdaptive: {sleeps: true, spins: true},
	option.ModeEvent:    {sleeps: true},
}

// planned returns the modes that get QPs, with mode counter only if the receivers' devices have completion
// counters. Whether the device makes the promise that mode data needs is known only after the QPs are
// connected.
func planned(p *option.Plan, counters bool) []Mode {
	switch {
	case !p.Compare && p.Completion == option.ModeAuto && p.NoData() != "":
		return []Mode{{Completion: option.ModePoll}}
	case p.Perftest != nil && p.NoData() == "": // it always polls memory
		return []Mode{{Completion: option.ModeData}}
	case !p.Compare && p.Completion == option.ModeAuto: // the first one that is possible is measured
		return []Mode{{Completion: option.ModeData}, {Completion: option.ModePoll}}
	case !p.Compare:
		return []Mode{{Completion: p.Completion}}
	}
	var modes []Mode
	for _, m := range option.Modes() {
		switch {
		case m == option.ModeData && p.NoData() != "":
		case m == option.ModeCounter && (!counters || p.NoCounter() != ""):
		default:
			modes = append(modes, Mode{Completion: m})
		}
	}
	for _, also := range slices.Compact(slices.Sorted(slices.Values(p.Also))) {
		switch also {
		case option.VariantLook, option.VariantFlag:
			modes = append(modes, Mode{option.ModeData, also})
		case option.VariantRelaxed, option.VariantOOO:
			modes = append(modes, Mode{option.ModePoll, also})
		}
	}
	return append(modes, Mode{option.ModePoll, option.VariantControl})
}

// OnOneCPU returns the mode measured with the measuring threads of both sides on one CPU. It reports
// false unless the mode is event in the comparison of a ping-pong: threads that spin would take turns,
// and those of a stream work at the same time, which one CPU prevents.
func (s *Set) OnOneCPU(m Mode) (Mode, bool) {
	c := s.first(m)
	if !s.Plan.Compare || m != (Mode{Completion: option.ModeEvent}) || !c.PingPong || c.Senders != bothSides {
		return Mode{}, false
	}
	return Mode{m.Completion, option.VariantSameCPU}, true
}

// OneCPU reports whether the measuring threads of both sides share a CPU.
func (m Mode) OneCPU() bool { return m.Variant == option.VariantSameCPU }

// Baseline reports whether the other modes are compared with this one.
func (m Mode) Baseline() bool { return m == Mode{Completion: option.ModePoll} }

// Sleeps reports whether the mode needs a completion channel.
func (m Mode) Sleeps() bool { return detections[m.Completion].sleeps }

// ByFlag reports whether each message is followed by a WRITE of a flag, by which the receiver detects it.
// No promise of a device covers that.
func (m Mode) ByFlag() bool { return m.Variant == option.VariantFlag }

// PollsMemory reports whether the receiver detects messages in memory.
func (m Mode) PollsMemory() bool { return detections[m.Completion].inMemory }

// ByCounter reports whether the receiver detects messages by a completion counter.
func (m Mode) ByCounter() bool { return detections[m.Completion].byCounter }
