package harness

import "github.com/ibperf/ibperf/result"

// mergeTuning adds up the growth of counters in all runs, and keeps the busiest sibling of all.
func mergeTuning(m *result.File, runs []*result.File) {
	if m.Local.Tuning == nil {
		return
	}
	all := *m.Local.Tuning
	all.Growth, all.Sibling = nil, nil
	for _, f := range runs {
		t := f.Local.Tuning
		if t == nil {
			continue
		}
		for name, n := range t.Growth {
			if all.Growth == nil {
				all.Growth = map[string]uint64{}
			}
			all.Growth[name] += n
		}
		if s := t.Sibling; s != nil && (all.Sibling == nil || s.Busy > all.Sibling.Busy) {
			all.Sibling = s
		}
	}
	m.Local.Tuning = &all
}
