package shm

import (
	"fmt"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/ibperf/ibperf/verbs"
)

// eventually waits for a condition.
func eventually(t *testing.T, what string, is func() bool) {
	t.Helper()
	for end := time.Now().Add(20 * time.Second); !is(); time.Sleep(time.Millisecond) {
		if time.Now().After(end) {
			t.Fatalf("%s: not after 20 s", what)
		}
	}
}

// TestManyRegionsAreUnmapped covers that peers unmap the memory of 1500 regions that are closed at
// once.
func TestManyRegionsAreUnmapped(t *testing.T) {
	a, b := newNode(t), newNode(t)
	check(t, a.connect(b.endpoint()))
	check(t, b.connect(a.endpoint()))
	var bufs []*verbs.Buffer
	var mrs []verbs.MR
	for range 1500 {
		buf, err := verbs.NewBuffer(pageSize)
		check(t, err)
		m := a.registerBuffer(t, buf)
		if s := b.postAndPoll(t, verbs.OpRDMAWrite, m.Addr(), m.RKey()); s != verbs.WCSuccess {
			t.Fatalf("status %s, want SUCCESS", s)
		}
		bufs, mrs = append(bufs, buf), append(mrs, m)
	}
	for i, m := range mrs {
		check(t, m.Close())
		check(t, bufs[i].Close())
	}
	r := b.qp.peerCtx.Load()
	eventually(t, "no region is mapped", func() bool {
		r.mu.Lock()
		defer r.mu.Unlock()
		return len(r.mapped) == 0
	})
}

// TestClosedContextIsUnmapped covers that memory of a closed context is unmapped even if a
// multicast message keeps its peerContext.
func TestClosedContextIsUnmapped(t *testing.T) {
	m, p := newUDNode(t), newNode(t)
	q, err := m.pd.CreateQP(&verbs.QPInitAttr{SendCQ: m.cq, RecvCQ: m.cq, Type: verbs.QPTypeRC,
		Cap: verbs.QPCap{MaxSendWR: 16, MaxRecvWR: 16, MaxSendSGE: 1, MaxRecvSGE: 1}})
	check(t, err)
	v := &node{ctx: m.ctx, qp: q.(*qp), cq: m.cq, mr: m.mr}
	check(t, v.connect(p.endpoint()))
	check(t, p.connect(v.endpoint()))
	m.sendMessage(t, m.createAH(t, verbs.GID{0: 0xff, 15: 9}), groupQPN, 8)
	buf, err := verbs.NewBuffer(pageSize)
	check(t, err)
	t.Cleanup(func() { buf.Close() })
	lost := p.registerBuffer(t, buf)
	if s := v.postAndPoll(t, verbs.OpRDMAWrite, lost.Addr(), lost.RKey()); s != verbs.WCSuccess {
		t.Fatal(s)
	}
	check(t, p.ctx.Close())
	check(t, v.qp.Close())
	eventually(t, "only the owner in this process has the memory mapped", func() bool {
		maps, err := os.ReadFile("/proc/self/maps")
		check(t, err)
		return strings.Count(string(maps), fmt.Sprintf(" %d ", lost.(*mr).inode)) <= 1
	})
}
