package harness

import (
	"fmt"

	"github.com/ibperf/ibperf/verbs"
)

// openDomain makes the domain that the worker's QPs are made in: the device's, or with
// --no_lock one of the worker's thread.
func (w *worker) openDomain() (err error) {
	r := w.rig
	w.domain = r.pd
	if !r.plan.NoLock {
		return nil
	}
	c, ok := r.cfg.Context.(verbs.ParentDomainAllocator)
	if !ok {
		return fmt.Errorf("the device has no thread domains: leave --no_lock out: %w", verbs.ErrNotSupported)
	}
	if w.td, err = c.AllocTD(); err != nil {
		return err
	}
	if w.parent, err = c.AllocParentDomain(r.pd, w.td); err != nil {
		return err
	}
	w.domain = w.parent
	return nil
}

// closeDomain follows the QPs' close.
func (w *worker) closeDomain() {
	for _, c := range []interface{ Close() error }{w.parent, w.td} {
		if c != nil {
			c.Close()
		}
	}
}
