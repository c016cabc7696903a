package shm

import (
	"sync"
	"testing"
	"time"

	"github.com/ibperf/ibperf/verbs"
)

// TestFalseNotes: a peer says all the time that its memory has no region any more, while
// this side writes there in messages of both paths. Requests may fail; nothing is stored
// to what is not mapped.
func TestFalseNotes(t *testing.T) {
	buf, err := verbs.NewBuffer(4 << 20)
	check(t, err)
	defer buf.Close()
	for end := time.Now().Add(time.Second); time.Now().Before(end); {
		a, b := newVictim(t), newVictim(t)
		from, to := a.register(t, buf), b.register(t, buf)
		check(t, a.connect(b.endpoint()))
		check(t, b.connect(a.endpoint()))
		stop := b.sayClosed(to.(*mr).inode)
		for i, ok := 0, true; ok && i < 2000 && time.Now().Before(end); i++ {
			sge := verbs.SGE{Addr: from.Addr(), Length: 8, LKey: from.LKey()}
			if i%64 == 63 {
				sge.Length = uint32(from.Len())
			}
			wr := verbs.SendWR{Opcode: verbs.OpRDMAWrite, SendFlags: verbs.SendSignaled, SGList: &sge, NumSGE: 1}
			wr.SetRDMA(to.Addr(), to.RKey())
			_, err := a.qp.PostSend(&wr)
			check(t, err)
			ok = a.next(t).Status == verbs.WCSuccess
		}
		stop()
		check(t, from.Close())
		check(t, to.Close())
	}
	newVictim(t).works(t)
}

// register makes a region on all of the buffer.
func (v *victim) register(t *testing.T, buf *verbs.Buffer) verbs.MR {
	t.Helper()
	m, err := v.mr.(*mr).pd.RegMR(buf.Bytes(), verbs.AccessLocalWrite|verbs.AccessRemoteWrite)
	check(t, err)
	return m
}

// sayClosed tells all who are connected, until it is stopped, that the memory is closed.
func (v *victim) sayClosed(inode uint64) (stop func()) {
	done := make(chan struct{})
	var wg sync.WaitGroup
	wg.Go(func() {
		for {
			for _, c := range v.ctx.conns.all() {
				trySend(c.UnixConn, encodeNote(inode))
			}
			select {
			case <-done:
				return
			case <-time.After(50 * time.Microsecond):
			}
		}
	})
	return func() {
		close(done)
		wg.Wait()
	}
}
