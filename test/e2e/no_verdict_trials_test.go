//go:build trials

package e2e

import "testing"

// TestTrialOfNoVerdict repeats a comparison 20 times with other work on both measuring CPUs, which never gives a
// verdict, and 20 times on idle CPUs, which always does.
func TestTrialOfNoVerdict(t *testing.T) {
	first, second := twoCPUs(t)
	w := newWorkspace(t, "out.json")
	for _, c := range []struct {
		name string
		cpus []string // that are busy
		want int
	}{{"idle", nil, statusDone}, {"busy", []string{first, second}, statusUnclear}} {
		stop := w.occupy(t, c.cpus...)
		right := 0
		for range repeats {
			status, client := w.compareOn(first, second)
			if status == c.want {
				right++
				continue
			}
			t.Logf("%s: status %d\n%s", c.name, status, client.output())
		}
		stop()
		if t.Logf("%s CPUs: status %d in %d of %d comparisons", c.name, c.want, right, repeats); right < repeats {
			t.Errorf("%s CPUs: status %d in %d of %d comparisons", c.name, c.want, right, repeats)
		}
	}
}
