package shm_test

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/ibperf/ibperf/verbs"
	"github.com/ibperf/ibperf/verbs/shm"
)

func TestFaultsByName(t *testing.T) {
	o := shm.Options{Seed: 7, Delay: 5 * time.Microsecond, DelayMost: 50 * time.Millisecond, LinkDown: 3, RNR: 10, Loss: 100}
	d := must(shm.Device("shm_whole", o))(t)
	const name = "shm_whole:delay=5us-50ms:linkdown=3:rnr=10:loss=100:seed=7"
	if d.Name() != name || !strings.HasSuffix(d.Software(), " (faults: delay=5us-50ms, linkdown=3, rnr=10, loss=100; seed 7)") {
		t.Errorf("name %s, software %s", d.Name(), d.Software())
	}
	if same := must(verbs.Lookup(name))(t); same.Name() != name {
		t.Errorf("found by its name: %s", same.Name())
	}
	for parameters, want := range map[string]string{
		":delay=20":         "as 20us",
		":delay=-1us":       "as 20us",
		":delay=50us-5us":   "as 20us",
		":delay=2m":         "up to 1m0s",
		":delay=0s":         "as 20us",
		":rnr=0":            "every n-th",
		":loss=x":           "every n-th",
		":linkdown=":        "every n-th",
		":rnr=2:rnr=3":      "set to 2 before",
		":delay=1us:seed=7": "nothing to seed",
	} {
		if d, err := verbs.Lookup("shm_whole" + parameters); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, %v, want an error with %q", parameters, d, err, want)
		}
	}
}

// faulty makes a pair on shm_whole with the parameters.
func faulty(t *testing.T, parameters string, change func(c *config)) (a, b *side) {
	t.Helper()
	c := conf()
	c.device = "shm_whole" + parameters
	if change != nil {
		change(&c)
	}
	return pair(t, c)
}

// TestDelay: a request reads its buffer after the delay, completes not before, and requests
// complete in order; who does not poll is served too.
func TestDelay(t *testing.T) {
	const least = 20 * time.Millisecond
	for _, parameters := range []string{":delay=20ms", ":delay=20ms-30ms:seed=7"} {
		a, b := faulty(t, parameters, nil)
		began := time.Now()
		for id := range uint64(3) {
			a.buf.Bytes()[id] = 1
			a.mustPost(t, send{id: id, op: verbs.OpRDMAWrite, flags: verbs.SendSignaled, sges: []verbs.SGE{a.sge(int(id), 1)}}.toward(b, int(id)))
		}
		copy(a.buf.Bytes(), []byte{2, 2, 2}) // too early
		eventually(t, "the data", func() bool { return slices.Equal(b.buf.Bytes()[:3], []byte{2, 2, 2}) })
		for id := range uint64(3) {
			pollOne(t, a.sendCQ, id, verbs.WCSuccess)
		}
		if took := time.Since(began); took < least {
			t.Errorf("%s: it took %v", parameters, took)
		}
	}
}

// TestDelayIsPrecise: a request is carried out when it is due also if nobody polls. On a machine
// that is busy some are late; at half of them that is no tick of the engine.
func TestDelayIsPrecise(t *testing.T) {
	const delay, tick, requests = 20 * time.Microsecond, time.Millisecond, 50
	a, b := faulty(t, ":delay=20us", func(c *config) { c.timeout = 0 })
	from, to := atomicWords(a.mem), atomicWords(b.mem)
	write := func(m uint64) time.Duration {
		from[0].Store(m)
		began := time.Now()
		a.mustPost(t, send{id: m, op: verbs.OpRDMAWrite, flags: verbs.SendSignaled, sges: []verbs.SGE{a.sge(0, 8)}}.toward(b, 0))
		for to[0].Load() != m && time.Since(began) < deadline {
		}
		took := time.Since(began)
		pollOne(t, a.sendCQ, m, verbs.WCSuccess)
		return took
	}
	m, half := uint64(0), time.Duration(0)
	defer func() { t.Logf("half of the requests were carried out within %v", half) }()
	eventually(t, "half of the requests by their time", func() bool {
		var took []time.Duration
		for range requests {
			m++
			took = append(took, write(m))
		}
		slices.Sort(took)
		if took[0] < delay {
			t.Fatalf("a request was carried out after %v", took[0])
		}
		half = took[requests/2]
		return half < tick/2
	})
}

// TestLinkDown: every second QP that is connected gets no answer.
func TestLinkDown(t *testing.T) {
	c := conf()
	c.device = "shm_whole:linkdown=2"
	ctx := openDevice(t, c.device)
	for _, want := range []verbs.WCStatus{verbs.WCSuccess, verbs.WCRetryExcErr} {
		a, b := newSideOn(t, ctx, c), newSide(t, conf())
		connect(t, a, b)
		a.mustPost(t, a.small(verbs.OpRDMAWrite, b))
		pollOne(t, a.sendCQ, 1, want)
	}
}

// TestNotReady: every third message finds no receive at first, which costs a retry.
func TestNotReady(t *testing.T) {
	for retries, want := range map[uint8]verbs.WCStatus{0: verbs.WCRNRRetryExcErr, 1: verbs.WCSuccess} {
		a, b := faulty(t, ":rnr=3", func(c *config) { c.rnrRetry = retries })
		for id := range uint64(3) {
			b.mustRecv(t, recv{id: id, sges: []verbs.SGE{b.sge(0, 64)}})
			a.mustPost(t, a.small(verbs.OpSend, b))
			status := verbs.WCSuccess
			if id == 2 {
				status = want
			}
			pollOne(t, a.sendCQ, 1, status)
		}
	}
}
