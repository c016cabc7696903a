package shm

import (
	"sync"
	"testing"
	"time"

	"github.com/ibperf/ibperf/verbs"
)

// TestFalseUnmapNotices covers a peer that continuously sends unmap notices, while this side writes
// to its memory by both paths. Requests may fail, but nothing is stored to unmapped addresses.
func TestFalseUnmapNotices(t *testing.T) {
	buf, err := verbs.NewBuffer(4 << 20)
	check(t, err)
	defer buf.Close()
	for end := time.Now().Add(time.Second); time.Now().Before(end); {
		a, b := newNode(t), newNode(t)
		from, to := a.registerBuffer(t, buf), b.registerBuffer(t, buf)
		check(t, a.connect(b.endpoint()))
		check(t, b.connect(a.endpoint()))
		stop := b.sendUnmapNotices(to.(*mr).inode)
		for i, ok := 0, true; ok && i < 2000 && time.Now().Before(end); i++ {
			sge := verbs.SGE{Addr: from.Addr(), Length: 8, LKey: from.LKey()}
			if i%64 == 63 {
				sge.Length = uint32(from.Len())
			}
			wr := verbs.SendWR{Opcode: verbs.OpRDMAWrite, SendFlags: verbs.SendSignaled, SGList: &sge, NumSGE: 1}
			wr.SetRDMA(to.Addr(), to.RKey())
			_, err := a.qp.PostSend(&wr)
			check(t, err)
			ok = a.nextCompletion(t).Status == verbs.WCSuccess
		}
		stop()
		check(t, from.Close())
		check(t, to.Close())
	}
	newNode(t).checkWorks(t)
}

// registerBuffer registers all of the buffer.
func (v *node) registerBuffer(t *testing.T, buf *verbs.Buffer) verbs.MR {
	t.Helper()
	m, err := v.mr.(*mr).pd.RegMR(buf.Bytes(), verbs.AccessLocalWrite|verbs.AccessRemoteWrite)
	check(t, err)
	return m
}

// sendUnmapNotices sends unmap notices for the memory to all connected peers, until it is stopped.
func (v *node) sendUnmapNotices(inode uint64) (stop func()) {
	done := make(chan struct{})
	var wg sync.WaitGroup
	wg.Go(func() {
		for {
			for _, c := range v.ctx.peerConns.all() {
				trySend(c.UnixConn, encodeUnmapNotice(inode))
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
