package option

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"
)

var completionOptions = []*Option{
	{
		Name: "completion", Argument: "MODE", Group: groupCompletion,
		Help: "how the receiver detects arrival: data (spin on the last bytes of the message), poll (spin on the CQ), " +
			"counter (spin on a completion counter of the device, of WRITEs), adaptive (spin on the CQ, then sleep as event does), event (sleep until a completion event), or auto: data if the device promises data order, else poll",
		Meaning: "how arrival was to be detected: data, poll, counter, adaptive, event, or auto, which is data where the device promises its order, else poll",
		JSON:    "completion", Label: "Completion", Free: true,
		value: oneOf(func(s *Settings) *Mode { return &s.Completion }, append([]Mode{ModeAuto}, Modes()...)...),
	}, {
		Name: "events", Letter: "e", Group: groupCompletion, As: "completion",
		Help: "the same as --completion event", Perftest: "for WRITE too; works with -D; a row without a single wake-up has a warning, as with READs and atomic operations of embedded devices, which complete when they are posted",
		value: events{},
	}, {
		Name: "spin", Argument: "LIMIT", Group: groupCompletion, Compare: true,
		Help:    "mode adaptive: how long to poll without a completion before it sleeps: a number of empty polls, or a time with a unit such as 50us",
		Meaning: "how long mode adaptive polled without a completion before it slept: a number of empty polls, or a time with its unit",
		JSON:    "spin", Label: "Spin", Header: WhenSet,
		value: spinValue,
	}, {
		Name: "compare", Group: groupCompletion,
		Help:    "measure every available completion mode in interleaved rounds, and compare them",
		Meaning: "every available completion mode was measured, in interleaved rounds",
		JSON:    "compare", Label: "Comparison", Free: true,
		value: toggle(func(s *Settings) *bool { return &s.Compare }),
	}, {
		Name: "touch", Argument: "WHAT", Group: groupCompletion, Compare: true,
		Help:    "what the receiver does with each cache line of a message within the measured time: none, read or write",
		Default: "none; read with --compare",
		Meaning: "what the receiver did with each cache line of a message within the measured time",
		JSON:    "touch", Label: "Touch", Header: Always,
		value: oneOf(func(s *Settings) *Touch { return &s.Touch }, TouchNone, TouchRead, TouchWrite),
	}, {
		Name: "verify", Group: groupCompletion,
		Help:    "check every byte of every message when its arrival is detected",
		Meaning: "every byte of every message was checked when its arrival was detected",
		JSON:    "verify", Label: "Verify", Header: WhenSet,
		value: toggle(func(s *Settings) *bool { return &s.Verify }),
	}, {
		Name: "data_validation", Group: groupCompletion, As: "verify",
		Help: "the same as --verify", Perftest: "in every test and mode; wrong data is exit status 5",
		value: toggle(func(s *Settings) *bool { return &s.Verify }),
	}, {
		Name: "force-data", Group: groupCompletion,
		Help:    "run mode data even if the device does not promise data order (unsafe)",
		Meaning: "mode data ran even if the device did not promise data order",
		JSON:    "force_data", Label: "Force data", Header: WhenSet,
		value: toggle(func(s *Settings) *bool { return &s.ForceData }),
	},
}

var comparisonOptions = []*Option{
	{
		Name: "also", Argument: "ROWS", Group: groupComparison,
		Help:    "extra rows of --compare: relaxed = poll with relaxed ordering; look = data mode that also polls the CQ, as an application does to notice failures; flag = each message is a WRITE of the data and one of a flag of 8 bytes, and the receiver spins on the flag (unsafe); ooo = poll on QPs with out-of-order placement (mlx5)",
		Meaning: "extra rows: relaxed is poll with relaxed ordering, look is data mode that also polls the CQ, flag is a WRITE of the data and one of a flag that the receiver spins on, ooo is poll on QPs with out-of-order placement",
		JSON:    "also", Label: "Also", Free: true,
		value: valueOf[[]Variant]{
			at:    func(s *Settings) *[]Variant { return &s.Also },
			parse: parseVariants,
			show:  showVariants,
			legal: legalRows,
			json:  func(rows []Variant) any { return append([]Variant{}, rows...) },
			back: func(data []byte) (rows []Variant, err error) {
				if err := json.Unmarshal(data, &rows); err != nil || len(rows) == 0 {
					return nil, err
				}
				return rows, nil
			},
		},
	}, {
		Name: "rounds", Argument: "N", Group: groupComparison, Compare: true,
		Help:    "measure each row in N rounds of each run; each round of a comparison visits all sizes and modes in another order",
		Default: fmt.Sprintf("%d with --compare, else 1", DefaultRounds),
		Meaning: "number of rounds of each row in each run",
		JSON:    "rounds", Unit: "rounds", Label: "Rounds", Header: WhenSet, Free: true,
		value: numberOr(func(s *Settings) *int { return &s.Rounds }, 0, 1, MaxRounds),
	}, {
		Name: "runs", Argument: "N", Group: groupComparison, Compare: true,
		Help:    "divide the messages or the time of each row into N runs, each with new QPs, memory and connections",
		Default: fmt.Sprintf("%d with --compare, else 1", DefaultRuns),
		Meaning: "number of runs that each row was divided into, each with new QPs, memory and connections",
		JSON:    "runs", Unit: "runs", Label: "Runs", Header: WhenSet, Free: true,
		value: numberOr(func(s *Settings) *int { return &s.Runs }, 0, 1, MaxRuns),
	}, {
		Name: "seed", Argument: "N", Group: groupComparison, Compare: true,
		Help: "seed of the random order in which a comparison visits sizes and modes", Default: "random",
		Meaning: "seed of the random order of sizes and modes in the rounds; 0: not a comparison",
		JSON:    "seed", Unit: "1", Label: "Seed", Free: true,
		value: numberOr(func(s *Settings) *int { return &s.Seed }, 0, 1, MaxSeed),
	}, {
		Name: "against", Argument: "DIR", Group: groupComparison, Only: noTest, Compare: true, Scope: PerSide,
		Help: "compare this build with the one whose programs are in DIR, instead of modes: both are measured in turn, and status 7 " +
			"says that this one is slower; both sides need the option",
		Excludes: []Exclusion{{Name: "rate-sweep", Why: "with --against no modes are compared"}, {Name: "bundle", Why: "with --against no modes are compared"}},
		value:    text(func(s *Settings) *string { return &s.Own.Against }, nil),
	}, {
		Name: "precision", Argument: "PERCENT", Group: groupComparison,
		Help:    "with --compare: measure until the interval of every ratio is within plus or minus PERCENT, such as 3%",
		Meaning: "requested half width of the intervals of ratios, relative to the ratio; 0: none",
		JSON:    "precision", Unit: "1", Label: "Precision", Header: WhenSet, Free: true,
		value: valueOf[float64]{
			at: func(s *Settings) *float64 { return &s.Precision }, parse: parsePercent,
			show: func(x float64) string {
				if x == 0 {
					return ""
				}
				return strconv.FormatFloat(x*100, 'g', 6, 64) + "%"
			},
			legal: func(x float64) error {
				if !(x > 0 && x < 1) {
					return errPercent
				}
				return nil
			},
		},
	}, {
		Name: "time-limit", Argument: "TIME", Group: groupComparison,
		Help: "with --precision: stop after TIME even if the precision is not reached; in seconds or with a unit", Default: strconv.Itoa(int(DefaultTimeLimit / time.Second)),
		Meaning: "time limit for reaching the precision; 0: none",
		JSON:    "time_limit_s", Unit: "s", Label: "Time limit", Suffix: " s", Free: true,
		value: inSeconds(duration(func(s *Settings) *time.Duration { return &s.TimeLimit }, time.Second, time.Second, MaxTime)),
	},
}

// events is the value of --events, which sets --completion to event.
type events struct{ value }

func (events) set(s *Settings, argument string) error {
	if argument != "true" {
		return errors.New("leave it out, or name a mode with --completion")
	}
	s.Completion = ModeEvent
	return nil
}

func (events) text(s *Settings) string { return strconv.FormatBool(s.Completion == ModeEvent) }

func parseVariants(text string) (rows []Variant, err error) {
	for _, word := range strings.Split(text, ",") {
		rows = append(rows, Variant(word))
	}
	return rows, nil
}

func showVariants(rows []Variant) string {
	var words []string
	for _, r := range rows {
		words = append(words, string(r))
	}
	return strings.Join(words, ",")
}

func legalRows(rows []Variant) error {
	for _, r := range rows {
		if !slices.Contains(Variants(), r) {
			return errors.New("choose relaxed, look, flag or ooo, with commas between them")
		}
	}
	return nil
}
