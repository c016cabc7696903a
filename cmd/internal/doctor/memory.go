package doctor

import (
	"fmt"

	"github.com/ibperf/ibperf/internal/units"
	"github.com/ibperf/ibperf/result"
)

// smallLock is the limit of locked memory below which long messages on many QPs cannot be registered: 64 QPs with
// two messages of 8 MiB each.
const smallLock = 1 << 30

func lockLimit(side *result.Side) (sentence, fix string) {
	limit := side.Tuning.LockLimit
	if limit == nil || *limit >= smallLock {
		return "", ""
	}
	return fmt.Sprintf("A process may lock %s bytes of memory: registering more fails with ENOMEM.", units.Size(int(*limit))),
		"`ulimit -l unlimited`, for all logins memlock in /etc/security/limits.conf, for a service LimitMEMLOCK=infinity"
}

func hugePages(side *result.Side) (sentence, fix string) {
	h := side.Tuning.HugePages
	if h == nil || h.Free > 0 {
		return "", ""
	}
	return fmt.Sprintf("No huge page is free (%d in all): the device looks up an address for every small page of long messages.", h.Total), reserve(h, 1<<30)
}

// manyPages is the memory from which on small pages are more than the caches of a card hold: 16384 pages of 4 KiB.
const manyPages = 64 << 20

// smallPages judges the pages of a run's messages.
func smallPages(r *run) (sentence, fix string) {
	h, used := r.Tuning.HugePages, r.memory()
	if h == nil || used < manyPages || r.file.Parameters.HugePages || r.GPU != "" || r.Device.Software != "" {
		return "", ""
	}
	return fmt.Sprintf("The messages of a row used %s bytes of memory in small pages: the device looked up an address for every page.", units.Size(used)),
		reserve(h, used) + " on both sides"
}

// memory returns the largest number of bytes that the messages of a row were in.
func (r *run) memory() (most int) {
	for i := range r.file.Rows {
		row := &r.file.Rows[i]
		most = max(most, row.Span*row.Size*max(1, r.file.Parameters.QPs))
	}
	return most
}

// reserve returns how memory is allocated in huge pages.
func reserve(h *result.HugePages, bytes int) string {
	return fmt.Sprintf("`sysctl vm.nr_hugepages=%d`, and --use_hugepages", h.Total-h.Free+1+bytes/max(1, int(h.Bytes)))
}
