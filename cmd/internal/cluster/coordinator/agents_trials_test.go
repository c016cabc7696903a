//go:build trials

package coordinator

import (
	"fmt"
	"testing"
	"time"
)

// TestTrialOfManyAgents: all agents join within 30 seconds and stay; each needs little memory, and idle ones little CPU time.
func TestTrialOfManyAgents(t *testing.T) {
	for _, ranks := range []int{2000, 10000} {
		t.Run(fmt.Sprint(ranks), func(t *testing.T) { gatherMany(t, ranks, 10*time.Second) })
	}
}
