package stats

import hdr "github.com/HdrHistogram/hdrhistogram-go"

// Window is the length in nanoseconds of the windows of a [Rate].
const Window = 1_000_000

// The histogram of windows keeps millionths of a message, to three digits.
const (
	windowUnit = 1e6
	windowMost = 1e13 // ten million messages in a window
)

// windows are the messages of windows of equal length: the extremes are exact, the
// others are in a histogram of about 290 KiB.
type windows struct {
	least, most float64
	hist        *hdr.Histogram
}

func newWindows() windows {
	w := windows{hist: hdr.New(1, windowMost, histogramDigits)}
	w.reset()
	return w
}

func (w *windows) n() int64 { return w.hist.TotalCount() }

func (w *windows) reset() {
	w.hist.Reset()
	*w = windows{hist: w.hist}
}

// add records n windows of so many messages each.
func (w *windows) add(messages float64, n int64) {
	w.extend(messages, messages)
	// The error is about values outside the histogram, which do not get there.
	_ = w.hist.RecordValues(min(max(int64(messages*windowUnit), 1), windowMost), n)
}

// extend makes least and most cover a window more, which has yet to be counted.
func (w *windows) extend(least, most float64) {
	if w.n() == 0 {
		w.least, w.most = least, most
		return
	}
	w.least = min(w.least, least)
	w.most = max(w.most, most)
}

func (w *windows) merge(other *windows) {
	if other.n() == 0 {
		return
	}
	w.extend(other.least, other.most)
	w.hist.Merge(other.hist)
}

// median returns the messages of the middle window, to three digits.
func (w *windows) median() float64 {
	return min(max(float64(w.hist.ValueAtPercentile(50))/windowUnit, w.least), w.most)
}
