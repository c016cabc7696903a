package setup

import (
	"fmt"

	"github.com/ibperf/ibperf/verbs"
)

// openDomain sets the domain that QPs are created in: the protection domain or, with --no_lock, a
// thread domain's parent domain.
func (q *Queues) openDomain() (err error) {
	r := q.Resources
	q.domain = r.pd
	if !r.Set.Plan.NoLock {
		return nil
	}
	c, ok := r.cfg.Context.(verbs.ParentDomainAllocator)
	if !ok {
		return fmt.Errorf("the device has no thread domains: leave --no_lock out: %w", verbs.ErrNotSupported)
	}
	if q.td, err = c.AllocTD(); err != nil {
		return err
	}
	if q.parent, err = c.AllocParentDomain(r.pd, q.td); err != nil {
		return err
	}
	q.domain = q.parent
	return nil
}

// closeDomain closes the domains. QPs must be closed before.
func (q *Queues) closeDomain() {
	for _, c := range []interface{ Close() error }{q.parent, q.td} {
		if c != nil {
			c.Close()
		}
	}
}
