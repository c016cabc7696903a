package stats

import (
	"math/rand/v2"
	"sync"
	"testing"
)

// aligned returns the messages of the windows that end at multiples of Window, without the one that start is in, by their numbers.
func aligned(start int64, batches []batch) map[int64]float64 {
	first := (start/Window + 1) * Window
	all := map[int64]float64{}
	if len(batches) == 0 {
		return all
	}
	for end := first + Window; end <= batches[len(batches)-1].to; end += Window {
		for _, e := range batches {
			switch begin := end - Window; {
			case e.from == e.to && begin <= e.to && e.to < end:
				all[end/Window] += float64(e.messages)
			case e.from < e.to:
				common := max(min(e.to, end)-max(e.from, begin), 0)
				all[end/Window] += float64(e.messages) * float64(common) / float64(e.to-e.from)
			default:
				all[end/Window] += 0
			}
		}
	}
	return all
}

// With two groups of rates, each group has the windows that all of its streams have, and the sum those that all groups have.
func TestWindowsOfGroups(t *testing.T) {
	rates := NewJointRates(2, 2)
	for i, r := range rates {
		r.Start(0)
		for at := int64(1); at <= 10; at++ {
			if i == 3 && at > 5 {
				break // this stream ends in the fifth window
			}
			r.Add(uint64(i+1), at*Window)
		}
	}
	for _, c := range []struct {
		what     string
		rates    []*Rate
		messages uint64
		windows  int64
		peak     float64 // messages in a window
	}{
		{"the first group", rates[:2], 30, 9, 3},
		{"the second group", rates[2:], 50, 4, 7},
		{"both groups", rates, 80, 4, 10},
	} {
		sum := MergeConcurrent(c.rates)
		b := sum.Bandwidth(1, "sender")
		if sum.Messages() != c.messages || sum.windows.n() != c.windows || b.Peak != c.peak*1000 {
			t.Errorf("%s: %d messages, %d windows, peak %v, want %+v", c.what, sum.Messages(), sum.windows.n(), b.Peak, c)
		}
	}
}

// One stream of each of several groups has the windows of its group.
func TestWindowsOfOneStream(t *testing.T) {
	rates := NewJointRates(2, 1)
	for i, r := range rates {
		r.Start(0)
		r.Add(uint64(100*(i+1)), 10*Window)
	}
	for i := range rates {
		if b := MergeConcurrent(rates[i:i+1]).Bandwidth(1, "sender"); b.Messages != uint64(100*(i+1)) || b.WindowS == 0 {
			t.Errorf("stream %d: %+v", i, b)
		}
	}
	if b := MergeConcurrent(rates).Bandwidth(1, "sender"); b.Messages != 300 || b.WindowS == 0 {
		t.Errorf("all: %+v", b)
	}
}

// The windows of several streams are the sums of those that all streams have, whichever stream is ahead.
func TestJointWindowsAreSums(t *testing.T) {
	rnd := rand.New(rand.NewPCG(8, 9))
	rates := NewJointRates(1, 3)
	withWindows := 0
	for range 100 {
		sums, have := map[int64]float64{}, map[int64]int{}
		var messages uint64
		start := rnd.Int64N(1e10)
		var streams sync.WaitGroup
		for _, r := range rates {
			r.Reset()
		}
		for _, r := range rates {
			begin := start + rnd.Int64N(3*Window)
			batches := stream(rnd, begin)
			streams.Go(func() {
				r.Start(begin)
				for _, e := range batches {
					r.Add(e.messages, e.to)
				}
			})
			for at, n := range aligned(begin, batches) {
				sums[at] += n
				have[at]++
			}
			for _, e := range batches {
				messages += e.messages
			}
		}
		streams.Wait()
		var windows []float64
		for at, n := range have {
			if n == len(rates) {
				windows = append(windows, sums[at])
			}
		}
		if len(windows) > 0 {
			withWindows++
		}
		sum := MergeConcurrent(rates)
		checkWindows(t, sum.Bandwidth(1000, "sender"), windows)
		if sum.Messages() != messages {
			t.Errorf("%d messages, want %d", sum.Messages(), messages)
		}
	}
	if withWindows < 10 {
		t.Errorf("only %d of 100 sums had windows", withWindows)
	}
}

// A stream that is behind by more than the windows that are kept leaves the sum without windows: the other ones alone would not
// represent the round.
func TestJointRateFarBehind(t *testing.T) {
	for _, behind := range []int64{jointSlots - 10, jointSlots + 10} {
		rates := NewJointRates(1, 2)
		for _, r := range rates {
			r.Start(Window)
		}
		for at := range behind {
			rates[0].Add(100, (at+3)*Window)
		}
		for at := range behind {
			rates[1].Add(50, (at+3)*Window)
		}
		b := MergeConcurrent(rates).Bandwidth(1, "sender")
		if has := b.WindowS > 0; has != (behind < jointSlots) {
			t.Errorf("%d windows behind: %+v", behind, b)
		}
	}
}

// A stream without messages does not change the time of the sum.
func TestJointRateWithoutMessages(t *testing.T) {
	rates := NewJointRates(1, 2)
	if b := MergeConcurrent(rates).Bandwidth(1, "sender"); b.Messages != 0 || b.Seconds != 0 {
		t.Errorf("without any message: %+v", b)
	}
	rates[0].Start(1000)
	rates[0].Add(10, 2000)
	if b := MergeConcurrent(rates).Bandwidth(1, "sender"); b.Messages != 10 || b.Seconds != 1e-6 {
		t.Errorf("%+v", b)
	}
}
