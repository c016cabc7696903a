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
		Help: "how arrival is detected: data (spin on the data itself), poll (spin on the completion queue), " +
			"event (sleep until a completion event), or auto: data where the device promises its order, else poll",
		Meaning: "how arrival was to be detected: data, poll, event, or auto, which is data where the device promises its order, else poll",
		JSON:    "completion", Label: "Completion", Free: true,
		value: oneOf(func(s *Settings) *Mode { return &s.Completion }, ModeAuto, ModeData, ModePoll, ModeEvent),
	}, {
		Name: "events", Letter: "e", Group: groupCompletion, As: "completion",
		Help: "the same as --completion event", Perftest: "for WRITE too; goes with -D; a row for which nobody ever slept says so, as of READs and atomic operations of embedded devices, done when they are posted",
		value: events{},
	}, {
		Name: "compare", Group: groupCompletion,
		Help:    "measure every mode that is available, in rounds by turns, and compare them",
		Meaning: "every mode that is available was measured, in rounds by turns",
		JSON:    "compare", Label: "Comparison", Free: true,
		value: toggle(func(s *Settings) *bool { return &s.Compare }),
	}, {
		Name: "touch", Argument: "WHAT", Group: groupCompletion, Compare: true,
		Help:    "what the receiver does with each cache line of a message, as part of what is measured: none, read or write",
		Default: "none; read with --compare",
		Meaning: "what the receiver did with each cache line of a message, as part of what was measured",
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
		Help:    "poll data although the device does not promise its order (unsafe)",
		Meaning: "data was polled although the device does not promise its order",
		JSON:    "force_data", Label: "Force data", Header: WhenSet,
		value: toggle(func(s *Settings) *bool { return &s.ForceData }),
	},
}

var comparisonOptions = []*Option{
	{
		Name: "also", Argument: "ROWS", Group: groupComparison,
		Help:    "further rows of --compare: relaxed (poll with relaxed ordering), look (data with looks at the CQ), control (data and poll once more)",
		Meaning: "further rows: relaxed is poll with relaxed ordering, look is data with looks at the CQ, control is data and poll once more",
		JSON:    "also", Label: "Also", Free: true,
		value: of[[]string]{
			at:    func(s *Settings) *[]string { return &s.Also },
			parse: func(text string) ([]string, error) { return strings.Split(text, ","), nil },
			show:  func(rows []string) string { return strings.Join(rows, ",") },
			legal: legalRows,
			json:  func(rows []string) any { return append([]string{}, rows...) },
			back: func(data []byte) (rows []string, err error) {
				if err := json.Unmarshal(data, &rows); err != nil || len(rows) == 0 {
					return nil, err
				}
				return rows, nil
			},
		},
	}, {
		Name: "rounds", Argument: "N", Group: groupComparison, Compare: true,
		Help:    "rounds that the messages or the time of a row are divided into; the modes take turns",
		Default: fmt.Sprintf("%d with --compare, else 1", DefaultRounds),
		Meaning: "rounds that a row was divided into",
		JSON:    "rounds", Unit: "rounds", Label: "Rounds", Header: WhenSet, Free: true,
		value: numberOr(func(s *Settings) *int { return &s.Rounds }, 0, 1, MaxRounds),
	}, {
		Name: "runs", Argument: "N", Group: groupComparison,
		Help:    "repeat all of it so often, each time on fresh QPs, memory and connections",
		Meaning: "how often all of it was repeated on fresh QPs, memory and connections",
		JSON:    "runs", Unit: "runs", Label: "Runs", Header: WhenSet, Free: true,
		value: number(func(s *Settings) *int { return &s.Runs }, 1, MaxRuns),
	}, {
		Name: "precision", Argument: "PERCENT", Group: groupComparison,
		Help:    "with --compare: go on until every ratio is known to plus or minus so much, such as 3%",
		Meaning: "half the width that the intervals of ratios were to have, as a part of the ratio; 0: none was asked for",
		JSON:    "precision", Unit: "1", Label: "Precision", Header: WhenSet, Free: true,
		value: of[float64]{
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
		Help: "with --precision: stop after so long all the same, in seconds or with a unit", Default: strconv.Itoa(int(DefaultTimeLimit / time.Second)),
		Meaning: "for reaching the precision; 0: none",
		JSON:    "time_limit_s", Unit: "s", Label: "Time limit", Suffix: " s", Free: true,
		value: inSeconds(duration(func(s *Settings) *time.Duration { return &s.TimeLimit }, time.Second, time.Second, MaxTime)),
	},
}

// events is --events: the value of --completion that is event.
type events struct{ value }

func (events) set(s *Settings, argument string) error {
	if argument != "true" {
		return errors.New("leave it out, or name a mode with --completion")
	}
	s.Completion = ModeEvent
	return nil
}

func (events) text(s *Settings) string { return strconv.FormatBool(s.Completion == ModeEvent) }

func legalRows(rows []string) error {
	for _, r := range rows {
		if !slices.Contains([]string{AlsoRelaxed, AlsoLook, AlsoControl}, r) {
			return errors.New("choose relaxed, look or control, with commas between them")
		}
	}
	return nil
}
