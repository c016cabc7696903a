package machine

import (
	"io/fs"
	"slices"

	"github.com/ibperf/ibperf/internal/host"
	"github.com/ibperf/ibperf/internal/topology"
	"github.com/ibperf/ibperf/result"
)

// Watch compares counters of a port and the times of all CPUs at the begin of a run with those at its end.
type Watch struct {
	root     fs.FS
	folder   string // of the port
	counters []string
	before   map[string]uint64
	ticks    map[int]host.Ticks
}

// NewWatch reads the named counters of a device's port that it has, and the times of all CPUs, with root as the file
// system.
func NewWatch(root fs.FS, device string, port int, counters []string) *Watch {
	w := &Watch{root: root, folder: portFolder(device, port), counters: counters}
	w.before = w.read()
	w.ticks, _ = host.TicksOf(root) // without it nothing is known about siblings
	return w
}

// read returns the counters by their names, without those that the port does not have.
func (w *Watch) read() map[string]uint64 {
	values := map[string]uint64{}
	for _, name := range w.counters {
		if file, err := counterFile(w.root, w.folder, name); err == nil {
			if n, err := readCounter(w.root, file); err == nil {
				values[name] = n
			}
		}
	}
	return values
}

// AddTo adds to a file what has changed since the begin, as that of its i-th device.
func (w *Watch) AddTo(f *result.File, i int) {
	t := f.Local.Tuning
	if i > 0 {
		t = f.Local.More[i-1].Tuning
	}
	if t == nil {
		return
	}
	for name, n := range w.read() {
		if before, found := w.before[name]; found && n > before {
			if t.Growth == nil {
				t.Growth = map[string]uint64{}
			}
			t.Growth[name] = n - before
		}
	}
	t.Sibling = w.sibling(f)
}

// sibling returns the busiest of the hardware threads beside the CPUs of this side's measuring threads; nil if there
// is none.
func (w *Watch) sibling(f *result.File) (busiest *result.Sibling) {
	after, err := host.TicksOf(w.root)
	if err != nil {
		return nil
	}
	var own []int
	for i := range f.Rows {
		own = append(own, f.Rows[i].Local.CPUs...)
	}
	for _, cpu := range own {
		for _, other := range topology.Siblings(w.root, cpu) {
			busy, known := share(w.ticks[other], after[other])
			if known && !slices.Contains(own, other) && (busiest == nil || busy > busiest.Busy) {
				busiest = &result.Sibling{CPU: other, Of: cpu, Busy: busy}
			}
		}
	}
	return busiest
}

// share returns the part of the time for which a CPU was busy.
func share(before, after host.Ticks) (busy float64, known bool) {
	if before.Total == 0 || after.Total <= before.Total || after.Busy < before.Busy {
		return 0, false
	}
	return float64(after.Busy-before.Busy) / float64(after.Total-before.Total), true
}
