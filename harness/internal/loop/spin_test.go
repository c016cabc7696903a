package loop

import (
	"slices"
	"testing"
	"time"

	"github.com/ibperf/ibperf/harness/internal/clock"
	"github.com/ibperf/ibperf/harness/internal/testcase"
	"github.com/ibperf/ibperf/option"
	"github.com/ibperf/ibperf/verbs"
)

// quietCQ has no completions, and records what a worker does with it and with its channel, whose wait
// ends with an event. Polls in a row are one entry.
type quietCQ struct {
	verbs.CQ
	verbs.CompChannel
	did []any // a number of polls, "arm" or "sleep"
}

func (q *quietCQ) PollSpin(_ []verbs.WC, most int) (int, error) {
	if last := len(q.did) - 1; last >= 0 {
		if n, polled := q.did[last].(int); polled {
			q.did[last] = n + most
			return 0, nil
		}
	}
	q.did = append(q.did, most)
	return 0, nil
}

func (q *quietCQ) ReqNotify(bool) error {
	q.did = append(q.did, "arm")
	return nil
}

func (q *quietCQ) GetEventRaw(time.Duration) (verbs.CQ, error) {
	q.did = append(q.did, "sleep")
	return q, nil
}

func (*quietCQ) AckEvents(int) {}
func (*quietCQ) Close() error  { return nil }

// waitsOf returns what a worker of mode adaptive does in its first waits, without a completion.
func waitsOf(t *testing.T, spin option.Spin, waits int) []any {
	t.Helper()
	q := &quietCQ{}
	w := &Worker{test: &testcase.Case{Sleeps: true, Spin: spin, PingPong: true}, spare: clock.New(), cfg: &Config{}, recvCQ: q}
	w.sleep = sleeper{channel: q, queues: []armable{{cq: q}}}
	w.chooseRest(false)
	limit := uint64(1)
	for poll := w.receivePoller(&limit); waits > 0; waits-- {
		if _, err := poll(); err != nil {
			t.Fatal(err)
		}
		if err := w.rest(); err != nil {
			t.Fatal(err)
		}
	}
	return q.did
}

// Mode adaptive polls as often as --spin says, arms, polls once more and sleeps, and begins again after
// the event.
func TestAdaptiveSpinsThenArmsAndSleeps(t *testing.T) {
	for polls, calls := range map[int]int{1: 1, 10: 1, 64: 1, 65: 2, 1000: 16} {
		got := waitsOf(t, option.Spin{Polls: polls}, 2*(calls+1))
		if want := []any{polls, "arm", 1, "sleep", polls, "arm", 1, "sleep"}; !slices.Equal(got, want) {
			t.Errorf("with %d polls: %v, want %v", polls, got, want)
		}
	}
}

// With a time it polls for at least that long.
func TestAdaptiveSpinsForATime(t *testing.T) {
	const long = 10 * time.Millisecond
	q := waitsOf(t, option.Spin{Time: time.Hour}, 1000)
	if want := []any{1000 * timedSpins}; !slices.Equal(q, want) {
		t.Errorf("within an hour: %v, want %v", q, want)
	}
	var spun time.Duration
	for waits, slept := 1, false; !slept; waits *= 2 {
		began := time.Now()
		slept = slices.Contains(waitsOf(t, option.Spin{Time: long}, waits), "arm")
		spun = time.Since(began)
	}
	if spun < long {
		t.Errorf("it slept after %v, want %v at least", spun, long)
	}
}
