package shm

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/ibperf/ibperf/verbs"
)

// TestObjectStrings covers that objects print as their identification, while all their locks are
// held and after they are closed.
func TestObjectStrings(t *testing.T) {
	v := newNode(t)
	p := v.qp.pd
	made, err := p.CreateSRQ(&verbs.SRQInitAttr{Attr: verbs.SRQAttr{MaxWR: 1, MaxSGE: 1}})
	check(t, err)
	s := made.(*srq)
	w, err := p.AllocMW(verbs.MWType2)
	check(t, err)
	x, err := v.ctx.OpenXRCD(-1, 0)
	check(t, err)
	ch, err := v.ctx.CreateCompChannel()
	check(t, err)
	gid := gidOf(v.ctx.id)
	ah, err := p.CreateAH(&verbs.AHAttr{IsGlobal: true, PortNum: 1, GRH: verbs.GlobalRoute{DGID: gid}})
	check(t, err)
	objects := map[any]string{
		v.ctx.Device(): "shm_whole",
		v.ctx:          "shm_whole context",
		p:              fmt.Sprintf("shm_whole PD %d", p.id),
		v.mr:           fmt.Sprintf("shm_whole MR lkey %#x, 4096 bytes", v.mr.LKey()),
		w:              "shm_whole MW of type 2",
		v.cq:           fmt.Sprintf("shm_whole CQ %d", v.cq.(*cq).id),
		v.qp:           fmt.Sprintf("shm_whole QP %#08x RC RESET", v.qp.num),
		s:              fmt.Sprintf("shm_whole SRQ %#08x", s.num),
		ah:             "shm_whole AH to " + gid.String(),
		x:              fmt.Sprintf("shm_whole XRC domain %d", x.(*xrcd).id),
		ch:             fmt.Sprintf("shm_whole completion channel, descriptor %d", ch.FD()),
	}
	v.ctx.mu.Lock()
	v.qp.modify.Lock()
	v.qp.lock()
	v.qp.sendCQ.mu.Lock()
	s.mu.Lock()
	printed := make(chan map[any]string, 1)
	go func() { printed <- printAll(objects) }()
	select {
	case got := <-printed:
		wantTexts(t, got, objects)
	case <-time.After(10 * time.Second):
		t.Error("printing waits for a lock")
	}
	s.mu.Unlock()
	v.qp.sendCQ.mu.Unlock()
	v.qp.unlock()
	v.qp.modify.Unlock()
	v.ctx.mu.Unlock()
	check(t, v.qp.Modify(&verbs.QPAttr{State: verbs.QPInit, PortNum: 1}, verbs.MaskState|verbs.MaskPort|verbs.MaskPKeyIndex|verbs.MaskAccessFlags))
	if text := fmt.Sprint(v.qp); !strings.HasSuffix(text, " RC INIT") {
		t.Errorf("a QP in INIT prints as %q", text)
	}
	for _, o := range []interface{ Close() error }{v.qp, s, w, v.mr, ah, x, ch, v.cq, p, v.ctx} {
		check(t, o.Close())
	}
	objects[v.qp] = strings.Replace(objects[v.qp], "RESET", "ERR", 1)
	wantTexts(t, printAll(objects), objects)
}

func printAll(objects map[any]string) map[any]string {
	texts := map[any]string{}
	for o := range objects {
		texts[o] = fmt.Sprintf("%v", o)
		for _, format := range []string{"%+v", "%#v", "%s"} {
			if text := fmt.Sprintf(format, o); text != texts[o] {
				texts[o] += ", by " + format + ": " + text
			}
		}
	}
	return texts
}

func wantTexts(t *testing.T, got, want map[any]string) {
	t.Helper()
	for o, text := range want {
		if got[o] != text {
			t.Errorf("%T prints as %.200q, want %q", o, got[o], text)
		}
	}
}
