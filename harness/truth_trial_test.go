//go:build trials

package harness

import "testing"

// The long form of the test of controls: at least 180 of 200 ratios do not differ.
func TestTrialOfControls(t *testing.T) {
	n, different := controls(t, 200)
	if different > n/10 {
		t.Errorf("%d of %d ratios of a device to itself exclude 1", different, n)
	}
}
