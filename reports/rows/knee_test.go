package rows

import (
	"testing"

	"github.com/ibperf/ibperf/result"
)

// A knee is no lower than a rate that the mode kept, also if it answered less while more messages were due.
func TestKnee(t *testing.T) {
	at := func(answers uint64, growing bool) Entry {
		return Entry{Row: &result.Row{Load: &result.Load{Growing: growing}, Rounds: []result.Round{{Messages: answers / 2, Seconds: 1}, {Messages: answers, Seconds: 1}}}}
	}
	for name, c := range map[string]struct {
		entries []Entry
		want    int // index of the row; -1: no knee
	}{
		"too much for it":  {[]Entry{at(100, false), at(1100, true), at(1000, true)}, 1},
		"slow in overload": {[]Entry{at(100, false), at(1080, false), at(1000, true)}, 1},
		"all are kept":     {[]Entry{at(100, false), at(1000, false)}, -1},
		"nothing":          {nil, -1},
	} {
		want := (*result.Row)(nil)
		if c.want >= 0 {
			want = c.entries[c.want].Row
		}
		if got := Knee(c.entries); got != want {
			t.Errorf("%s: %+v", name, got)
		}
	}
}
