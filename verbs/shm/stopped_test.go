package shm

import (
	"errors"
	"syscall"
	"testing"
	"time"
)

// TestDeregisterBesideAStoppedPeer: a peer that stays within a request for ever, as one
// whose process is stopped, is waited for some seconds, and MR.Close says that the memory
// is not safe from it.
func TestDeregisterBesideAStoppedPeer(t *testing.T) {
	t.Parallel()
	a, b := newVictim(t), newVictim(t)
	check(t, a.connect(b.endpoint()))
	check(t, b.connect(a.endpoint()))
	b.qp.lock()
	defer b.qp.unlock()
	start := time.Now()
	if err := a.mr.Close(); !errors.Is(err, syscall.ETIMEDOUT) {
		t.Errorf("closing the region said %v, want ETIMEDOUT", err)
	}
	if took := time.Since(start); took < outTimeout || took > 2*outTimeout {
		t.Errorf("that took %v", took)
	}
	if err := a.mr.Close(); err != nil {
		t.Errorf("closing it again said %v", err)
	}
}
