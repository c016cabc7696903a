package stats

import "sync"

// jointSlots is the number of windows by which one of several rates may be ahead of another one: 8 s, which is longer than
// a loop may be without progress.
const jointSlots = 8192

// jointWindows adds up the windows of several rates that are measured at the same time. All windows end at multiples of
// [Window]. A window counts once all rates have it, so those in which a stream has begun, or ended before the others, do not.
type jointWindows struct {
	rates int
	sum   *jointWindows // of several groups of rates, that complete windows are added to as those of one rate; nil: there is one group

	mu       sync.Mutex // each rate has a goroutine of its own, which locks it once in a window
	slots    []jointWindow
	tooLate  bool // a rate was behind by more than the slots
	complete windows
}

// jointWindow is a window that some of the rates have.
type jointWindow struct {
	at       int64 // its number, counted from time 0
	rates    int
	messages float64
}

func newJointWindows(rates int) *jointWindows {
	return &jointWindows{rates: rates, slots: make([]jointWindow, jointSlots), complete: newWindows()}
}

func (j *jointWindows) reset() {
	clear(j.slots)
	j.tooLate = false
	j.complete.reset()
	if j.sum != nil {
		j.sum.reset()
	}
}

// add adds n windows of one rate with the same number of messages, the last of which ends at end.
func (j *jointWindows) add(messages float64, end, n int64) {
	j.mu.Lock()
	defer j.mu.Unlock()
	last := end / Window
	for at := last - n + 1; at <= last; at++ {
		s := &j.slots[at%jointSlots]
		switch {
		case s.at > at:
			j.tooLate = true
			continue
		case s.at < at:
			*s = jointWindow{at: at}
		}
		s.messages += messages
		if s.rates++; s.rates == j.rates {
			j.complete.add(s.messages, 1)
			if j.sum != nil {
				j.sum.add(s.messages, at*Window, 1)
			}
		}
	}
}
