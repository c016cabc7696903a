package stats

import hdr "github.com/HdrHistogram/hdrhistogram-go"

// Window is the length in nanoseconds of the windows of a [Rate].
const Window = 1_000_000

// The histogram of windows keeps millionths of a message, to three digits.
const (
	windowUnit = 1e6
	windowMax  = 1e13 // ten million messages in a window
)

// windows holds the numbers of messages in windows of equal length: smallest and largest exactly, all
// of them in a histogram of about 290 KiB.
type windows struct {
	min, max float64
	hist     *hdr.Histogram
}

func newWindows() windows {
	w := windows{hist: hdr.New(1, windowMax, histogramDigits)}
	w.reset()
	return w
}

func (w *windows) n() int64 { return w.hist.TotalCount() }

func (w *windows) reset() {
	w.hist.Reset()
	*w = windows{hist: w.hist}
}

// add records n windows with the same number of messages.
func (w *windows) add(messages float64, n int64) {
	w.extend(messages, messages)
	// RecordValues fails only for a value outside the histogram, which min and max prevent.
	_ = w.hist.RecordValues(min(max(int64(messages*windowUnit), 1), windowMax), n)
}

// extend extends min and max to include windows from low to high, which the histogram does not have
// yet.
func (w *windows) extend(low, high float64) {
	if w.n() == 0 {
		w.min, w.max = low, high
		return
	}
	w.min = min(w.min, low)
	w.max = max(w.max, high)
}

func (w *windows) merge(other *windows) {
	if other.n() == 0 {
		return
	}
	w.extend(other.min, other.max)
	w.hist.Merge(other.hist)
}

// median returns the number of messages in the median window, to three digits.
func (w *windows) median() float64 {
	return min(max(float64(w.hist.ValueAtPercentile(50))/windowUnit, w.min), w.max)
}
