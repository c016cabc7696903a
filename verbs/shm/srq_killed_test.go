package shm_test

import (
	"encoding/json"
	"flag"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/ibperf/ibperf/verbs"
	"github.com/ibperf/ibperf/verbs/verbstest/fixture"
)

var kills = flag.Int("kills", 10, "number of processes that are killed while they send to an SRQ")

// floodSRQ sends lists of messages to its parent until it is killed.
func floodSRQ(t *testing.T, out *json.Encoder, in *json.Decoder) {
	c := conf()
	c.RNRRetry = 7 // without end
	s := newSide(t, c)
	s.connectProcess(t, out, in)
	list := make([]send, 16)
	for i := range list {
		list[i] = send{Op: verbs.OpSend, SGEs: []verbs.SGE{s.SGE(0, 64)}}
	}
	list[15].Flags = verbs.SendSignaled
	for {
		s.Post(list...)
		s.SendCQ.Expect(0, verbs.WCSuccess)
	}
}

// srqOwner has an SRQ of 32 receives, whose completions it polls and posts again.
type srqOwner struct {
	*side
	srq verbs.SRQ
}

const srqReceives = 32

func newSRQOwner(t *testing.T) *srqOwner {
	s := newSide(t, conf())
	q := must(s.PD.CreateSRQ(&verbs.SRQInitAttr{Attr: verbs.SRQAttr{MaxWR: srqReceives, MaxSGE: 1}}))(t)
	t.Cleanup(func() { noError(t, q.Close()) })
	o := &srqOwner{s, q}
	for i := range srqReceives {
		o.post(t, uint64(i))
	}
	return o
}

func (o *srqOwner) post(t *testing.T, id uint64) {
	sge := o.SGE(64*int(id), 64)
	_, err := o.srq.PostRecv(&verbs.RecvWR{WRID: id, SGList: &sge, NumSGE: 1})
	noError(t, err)
}

// poll polls for completions, posts their receives again, and returns their number.
func (o *srqOwner) poll(t *testing.T) int {
	var wcs [srqReceives]verbs.WC
	n, err := o.RecvCQ.CQ.Poll(wcs[:])
	noError(t, err)
	for _, c := range wcs[:n] {
		if c.Status != verbs.WCSuccess {
			t.Fatalf("a receive completed with %s", c.Status)
		}
		o.post(t, c.WRID)
	}
	return n
}

// createQP creates a QP on the SRQ, and returns its endpoint.
func (o *srqOwner) createQP(t *testing.T) (verbs.QP, verbs.Endpoint) {
	q := must(o.PD.CreateQP(&verbs.QPInitAttr{SendCQ: o.SendCQ.CQ, RecvCQ: o.RecvCQ.CQ, Type: verbs.QPTypeRC, SRQ: o.srq}))(t)
	t.Cleanup(func() { noError(t, q.Close()) })
	e := o.greeting(t).Endpoint
	e.QPNum = q.QPNum()
	return q, e
}

// TestKilledPeersLeaveAllReceives covers that a process which is killed while it sends to an SRQ keeps no receive of it, although
// the QP that it was connected to stays open: afterwards another peer finds all of them.
func TestKilledPeersLeaveAllReceives(t *testing.T) {
	o, other := newSRQOwner(t), newSide(t, conf())
	q, own := o.createQP(t)
	noError(t, verbs.Connect(q, verbs.Path{Port: 1}, allRights, own, other.greeting(t).Endpoint))
	noError(t, verbs.Connect(other.QP, verbs.Path{Port: 1}, allRights, other.greeting(t).Endpoint, own))
	for kill := range *kills {
		q, own := o.createQP(t)
		c := startChild(t, "flood", nil)
		mine := o.greeting(t)
		mine.Endpoint = own
		noError(t, c.send.Encode(mine))
		var theirs greeting
		noError(t, c.recv.Decode(&theirs))
		noError(t, verbs.Connect(q, verbs.Path{Port: 1}, allRights, own, theirs.Endpoint))
		noError(t, c.send.Encode(greeting{Note: "connected"}))
		noError(t, c.recv.Decode(&greeting{}))
		got := 0
		for end := time.Now().Add(time.Duration(rand.IntN(5000)) * time.Microsecond); got < 100 || time.Now().Before(end); {
			got += o.poll(t)
		}
		noError(t, c.cmd.Process.Kill())
		c.cmd.Wait()
		for quiet := time.Now(); time.Since(quiet) < 50*time.Millisecond; time.Sleep(time.Millisecond) {
			if o.poll(t) > 0 {
				quiet = time.Now()
			}
		}
		list := make([]send, srqReceives)
		for i := range list {
			list[i] = send{ID: uint64(i), Op: verbs.OpSend, Flags: verbs.SendSignaled, SGEs: []verbs.SGE{other.SGE(0, 64)}}
		}
		other.Post(list...)
		taken := 0
		var wcs [srqReceives]verbs.WC
		fixture.Eventually(t, "all messages of the other peer are sent", func() bool {
			if _, err := o.RecvCQ.CQ.Poll(nil); err != nil { // supplies receives and takes no completion, so none is posted again
				t.Fatal(err)
			}
			n, err := other.SendCQ.CQ.Poll(wcs[:])
			noError(t, err)
			for _, c := range wcs[:n] {
				if c.Status != verbs.WCSuccess {
					t.Fatalf("kill %d: message %d of %d: %s: the killed process has kept receives", kill, c.WRID, srqReceives, c.Status)
				}
			}
			taken += n
			return taken == srqReceives
		})
		for left := srqReceives; left > 0; {
			left -= o.poll(t)
		}
	}
}
