package harness

import (
	"fmt"
	"math"
	"slices"
	"testing"
	"time"

	"github.com/ibperf/ibperf/internal/testdevice"
	"github.com/ibperf/ibperf/option"
	"github.com/ibperf/ibperf/result"
)

// streams are the delays of the messages of bandwidth tests.
var streams = []delays{
	{"constant", testdevice.Constant(1000), nil},
	{"uniform", testdevice.Uniform(5, 200, 1800), nil},
	{"stalls", testdevice.Stall(5000, 1000, 3500*time.Microsecond), nil},
}

const (
	streamMessages = 20_000
	streamDepth    = 8
)

// The bandwidth is bytes over time, whichever side measures it, and the windows are those of the
// injected delays. The sample has each operation in each mode on each side whose clock
// can count, with one shape of delays after another.
func TestBandwidthIsExact(t *testing.T) {
	for o, op := range everyOp {
		for m, mode := range modesOf(op) {
			touches := []option.Touch{option.TouchNone}
			if !result.RoundTrip(op) && mode != option.ModeData {
				touches = append(touches, option.TouchRead) // then the receiver measures
			}
			for n, touch := range touches {
				for i, d := range streams {
					if !wholeMatrix && (o+m+n)%len(streams) != i {
						continue
					}
					t.Run(fmt.Sprintf("%s_%s_%s_touch_%s", op, mode, d.name, touch), func(t *testing.T) {
						p := streamPlan(op, mode)
						p.Touch = touch
						f, client, _ := onVirtualTime(t, p, d)
						r := onlyRow(t, f)
						checkRate(t, &p, r, client)
						checkWindows(t, r, client)
					})
				}
			}
		}
	}
}

func streamPlan(op option.Op, mode option.Mode) option.Plan {
	p := testPlan(op, option.KindBandwidth, sizeOf(op), streamMessages)
	p.Completion, p.TxDepth = mode, streamDepth
	return p
}

// lag returns the number of messages that the receiver may be behind the sender's virtual time.
func lag(r *result.Row) int {
	if r.Bandwidth.MeasuredAt == "receiver" {
		return 2 * r.Slots
	}
	return 0
}

// checkRate compares the average of a row with the messages and their times.
func checkRate(t *testing.T, p *option.Plan, r *result.Row, client *notes) {
	t.Helper()
	b := r.Bandwidth
	var took time.Duration
	messages := 0
	for _, posts := range client.rounds {
		messages += len(posts)
		for _, d := range posts {
			took += d
		}
	}
	want, part := float64(messages*r.Size)/took.Seconds(), exactly
	if lag(r) > 0 {
		part = 0.005
	}
	if counted := int(b.Messages); counted > messages || counted < messages-lag(r)*len(client.rounds) {
		t.Errorf("%d messages, were %d", counted, messages)
	}
	if b.Bytes != b.Messages*uint64(r.Size) || !near(b.Average, want, part) || !near(b.MsgRate, want/float64(r.Size), part) {
		t.Errorf("%+v, want %.0f bytes/s", b, want)
	}
	rounds := p.Resolve().Rounds
	if each := p.Iterations * uint64(p.QPs) / uint64(rounds); p.Iterations > 0 && messages != int(each)*rounds {
		t.Errorf("%d messages in rounds of %d", messages, each)
	}
}

// checkWindows compares the windows of a row with those that follow from the times of the messages.
func checkWindows(t *testing.T, r *result.Row, client *notes) {
	t.Helper()
	b, per := r.Bandwidth, windowsOf(client.rounds)
	slices.Sort(per)
	perSecond := float64(r.Size) / b.WindowS
	// The ends of a window lie between two readings of the clock, so it may have a few messages more or fewer.
	loose := float64(lag(r)+r.Slots) * perSecond
	for _, c := range []struct {
		what string
		got  float64
		want float64
	}{
		{"slowest", b.Slowest, per[0]}, {"median", b.MedianWindow, per[len(per)/2]}, {"peak", b.Peak, per[len(per)-1]},
	} {
		if want := c.want * perSecond; math.Abs(c.got-want) > loose+0.01*want {
			t.Errorf("%s window: %.0f bytes/s, want %.0f ± %.0f", c.what, c.got, want, loose)
		}
	}
}

// windowsOf counts the messages of each millisecond of the rounds.
func windowsOf(rounds [][]time.Duration) (per []float64) {
	for _, posts := range rounds {
		now, end, n := time.Duration(0), time.Millisecond, 0.0
		for _, d := range posts {
			for now += d; now >= end; end += time.Millisecond {
				per = append(per, n)
				n = 0
			}
			n++
		}
	}
	return per
}

// The messages of all rounds add up and timed rounds end in time. With --no-peak the average is the
// same and there are no windows.
func TestBandwidthOfRounds(t *testing.T) {
	for _, op := range everyOp {
		for _, mode := range modesOf(op) {
			t.Run(fmt.Sprintf("%s_%s", op, mode), func(t *testing.T) {
				p := streamPlan(op, mode)
				p.Rounds = 5
				f, client, _ := onVirtualTime(t, p, streams[1])
				checkRate(t, &p, onlyRow(t, f), client)
				checkFigures(t, onlyRow(t, f), client)

				p.Iterations, p.Duration = 0, 20*time.Millisecond
				f, client, _ = onVirtualTime(t, p, streams[1])
				checkRate(t, &p, onlyRow(t, f), client)
				checkFigures(t, onlyRow(t, f), client)
				if s := onlyRow(t, f).Bandwidth.Seconds; !near(s, p.Duration.Seconds(), 0.01) {
					t.Errorf("%v s, want %v", s, p.Duration)
				}

				p = streamPlan(op, mode)
				p.NoPeak = true
				f, client, _ = onVirtualTime(t, p, streams[1])
				checkRate(t, &p, onlyRow(t, f), client)
				if b := onlyRow(t, f).Bandwidth; b.Peak != 0 || b.Slowest != 0 || b.MedianWindow != 0 || b.WindowS != 0 {
					t.Errorf("windows without a clock: %+v", b)
				}
			})
		}
	}
}

// checkFigures compares the average of each round with the times of its messages.
func checkFigures(t *testing.T, r *result.Row, client *notes) {
	t.Helper()
	if len(r.Rounds) != len(client.rounds) {
		t.Fatalf("%d rounds, want %d", len(r.Rounds), len(client.rounds))
	}
	for i, posts := range client.rounds {
		var took time.Duration
		for _, d := range posts {
			took += d
		}
		want := float64(len(posts)*r.Size) / took.Seconds()
		if got := r.Rounds[i].Average; !near(got, want, 0.02) {
			t.Errorf("round %d: %.0f bytes/s, want %.0f", i, got, want)
		}
		if ended := r.Rounds[i].Ended; time.Since(ended) > time.Hour || i > 0 && ended.Before(r.Rounds[i-1].Ended) {
			t.Errorf("round %d ended at %v", i, ended)
		}
	}
}
