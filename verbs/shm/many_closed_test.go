package shm

import (
	"fmt"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/ibperf/ibperf/verbs"
)

// awaitThat waits until it is so.
func awaitThat(t *testing.T, what string, is func() bool) {
	t.Helper()
	for end := time.Now().Add(20 * time.Second); !is(); time.Sleep(time.Millisecond) {
		if time.Now().After(end) {
			t.Fatalf("not within 20 s: %s", what)
		}
	}
}

// TestManyClosed: peers unmap memory that was closed, however much of it at once.
func TestManyClosed(t *testing.T) {
	a, b := newVictim(t), newVictim(t)
	check(t, a.connect(b.endpoint()))
	check(t, b.connect(a.endpoint()))
	var bufs []*verbs.Buffer
	var mrs []verbs.MR
	for range 1500 {
		buf, err := verbs.NewBuffer(pageSize)
		check(t, err)
		m := a.register(t, buf)
		if s := b.outcome(t, verbs.OpRDMAWrite, m.Addr(), m.RKey()); s != verbs.WCSuccess {
			t.Fatal(s)
		}
		bufs, mrs = append(bufs, buf), append(mrs, m)
	}
	for i, m := range mrs {
		check(t, m.Close())
		check(t, bufs[i].Close())
	}
	r := b.qp.remote.Load()
	awaitThat(t, "no region is mapped", func() bool {
		r.mu.Lock()
		defer r.mu.Unlock()
		return len(r.regions) == 0
	})
}

// TestDeadPeerIsUnmapped: memory of a context that is gone does not stay mapped, though this side has
// sent to a group, and so knows that context still.
func TestDeadPeerIsUnmapped(t *testing.T) {
	m, p := newMailbox(t), newVictim(t)
	q, err := m.pd.CreateQP(&verbs.QPInitAttr{SendCQ: m.cq, RecvCQ: m.cq, Type: verbs.QPTypeRC,
		Cap: verbs.QPCap{MaxSendWR: 16, MaxRecvWR: 16, MaxSendSGE: 1, MaxRecvSGE: 1}})
	check(t, err)
	v := &victim{ctx: m.ctx, qp: q.(*qp), cq: m.cq, mr: m.mr}
	check(t, v.connect(p.endpoint()))
	check(t, p.connect(v.endpoint()))
	m.send(t, m.handle(t, verbs.GID{0: 0xff, 15: 9}), groupQPN, 8)
	buf, err := verbs.NewBuffer(pageSize)
	check(t, err)
	lost := p.register(t, buf)
	if s := v.outcome(t, verbs.OpRDMAWrite, lost.Addr(), lost.RKey()); s != verbs.WCSuccess {
		t.Fatal(s)
	}
	check(t, p.ctx.Close())
	check(t, v.qp.Close())
	awaitThat(t, "this process has it mapped itself, and nobody else does", func() bool {
		maps, err := os.ReadFile("/proc/self/maps")
		check(t, err)
		return strings.Count(string(maps), fmt.Sprintf(" %d ", lost.(*mr).inode)) <= 1
	})
}
