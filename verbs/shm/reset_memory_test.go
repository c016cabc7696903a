package shm

import (
	"testing"

	"golang.org/x/sys/unix"

	"github.com/ibperf/ibperf/verbs"
	"github.com/ibperf/ibperf/verbs/shm/internal/ring"
)

// TestResetTouchesWhatWasPosted covers that RESET of a large receive queue writes only what was used of it: its memory has no
// further pages. A queue of which all slots were used is emptied whole. Close frees the memory.
func TestResetTouchesWhatWasPosted(t *testing.T) {
	a := newNode(t)
	made, err := a.qp.pd.CreateQP(&verbs.QPInitAttr{SendCQ: a.cq, RecvCQ: a.cq, Type: verbs.QPTypeRC,
		Cap: verbs.QPCap{MaxSendWR: 1, MaxRecvWR: 4000, MaxSendSGE: 1, MaxRecvSGE: 32}})
	check(t, err)
	q := made.(*qp)
	fd, err := unix.Dup(q.recv.file.FD())
	check(t, err)
	defer unix.Close(fd)
	for _, posted := range []int{0, 3, 4000} {
		check(t, q.Modify(&verbs.QPAttr{State: verbs.QPInit, PortNum: 1}, verbs.MaskState|verbs.MaskPKeyIndex|verbs.MaskPort|verbs.MaskAccessFlags))
		for range posted {
			_, err := q.PostRecv(&verbs.RecvWR{})
			check(t, err)
		}
		for i := range min(posted, 2) { // as a peer does
			q.recv.records[i] = record{0, uint64(verbs.WCRecv)<<recOpShift | uint64(i+1)<<ring.NumberAt}
		}
		check(t, q.Modify(&verbs.QPAttr{State: verbs.QPReset}, verbs.MaskState))
		var st unix.Stat_t
		check(t, unix.Fstat(q.recv.file.FD(), &st))
		if kib := st.Blocks / 2; posted < 10 && kib > 32 {
			t.Errorf("%d receives: the queue has %d KiB of memory of %d", posted, kib, len(q.recv.file.Bytes())>>10)
		}
		for i, r := range q.recv.records {
			if r != (record{}) {
				t.Errorf("%d receives: record %d is %v", posted, i, r)
			}
			if posted < 10 && i > 10 {
				break // a read allocates pages too
			}
		}
	}
	check(t, q.Close())
	var st unix.Stat_t
	if check(t, unix.Fstat(fd, &st)); st.Blocks > 0 {
		t.Errorf("the queue of the closed QP has %d KiB of memory", st.Blocks/2)
	}
}
