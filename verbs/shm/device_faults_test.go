package shm_test

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/ibperf/ibperf/verbs"
	"github.com/ibperf/ibperf/verbs/shm"
	"github.com/ibperf/ibperf/verbs/verbstest/fixture"
)

func TestFaultsInDeviceName(t *testing.T) {
	o := shm.Options{Seed: 7, Delay: 5 * time.Microsecond, DelayMost: 50 * time.Millisecond, LinkDown: 3, RNR: 10, Loss: 100}
	d := must(shm.Device("shm_whole", o))(t)
	const name = "shm_whole:delay=5us-50ms:linkdown=3:rnr=10:loss=100:seed=7"
	if d.Name() != name || !strings.HasSuffix(d.Software(), " (faults: delay=5us-50ms, linkdown=3, rnr=10, loss=100; seed 7)") {
		t.Errorf("name %s, software %s", d.Name(), d.Software())
	}
	if same := must(verbs.Lookup(name))(t); same.Name() != name {
		t.Errorf("looked up by its name: %s", same.Name())
	}
	for parameters, want := range map[string]string{
		":delay=20":         "as 20us",
		":delay=-1us":       "as 20us",
		":delay=50us-5us":   "as 20us",
		":delay=2m":         "up to 1m0s",
		":delay=0s":         "as 20us",
		":rnr=0":            "every N-th",
		":loss=x":           "every N-th",
		":linkdown=":        "every N-th",
		":rnr=2:rnr=3":      "already set to 2",
		":delay=1us:seed=7": "a seed has no effect",
	} {
		if d, err := verbs.Lookup("shm_whole" + parameters); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, %v, want an error with %q", parameters, d, err, want)
		}
	}
}

// pairWithFaults returns a pair on shm_whole with the parameters.
func pairWithFaults(t *testing.T, parameters string, change func(c *config)) (a, b *side) {
	t.Helper()
	c := conf()
	c.device = "shm_whole" + parameters
	if change != nil {
		change(&c)
	}
	return pair(t, c)
}

// TestDelayFault covers that a request reads its buffer after the delay, does not complete earlier,
// and completes in order, also without polling.
func TestDelayFault(t *testing.T) {
	const least = 20 * time.Millisecond
	for _, parameters := range []string{":delay=20ms", ":delay=20ms-30ms:seed=7"} {
		a, b := pairWithFaults(t, parameters, nil)
		began := time.Now()
		for id := range uint64(3) {
			a.Buffer.Bytes()[id] = 1
			a.Post(send{ID: id, Op: verbs.OpRDMAWrite, Flags: verbs.SendSignaled, SGEs: []verbs.SGE{a.SGE(int(id), 1)}}.Toward(b, int(id)))
		}
		copy(a.Buffer.Bytes(), []byte{2, 2, 2}) // before the device has read the buffer
		fixture.Eventually(t, "the data", func() bool { return slices.Equal(b.Buffer.Bytes()[:3], []byte{2, 2, 2}) })
		for id := range uint64(3) {
			a.SendCQ.Expect(id, verbs.WCSuccess)
		}
		if took := time.Since(began); took < least {
			t.Errorf("%s: the requests took %v", parameters, took)
		}
	}
}

// TestDelayFaultIsPrecise covers that requests execute when they are due, also without polling. On
// a busy machine some are late, but the median is below a tick of the engine.
func TestDelayFaultIsPrecise(t *testing.T) {
	const delay, tick, requests = 20 * time.Microsecond, time.Millisecond, 50
	a, b := pairWithFaults(t, ":delay=20us", func(c *config) { c.Timeout = 0 })
	from, to := atomicWords(a.Mem), atomicWords(b.Mem)
	write := func(m uint64) time.Duration {
		from[0].Store(m)
		began := time.Now()
		a.Post(send{ID: m, Op: verbs.OpRDMAWrite, Flags: verbs.SendSignaled, SGEs: []verbs.SGE{a.SGE(0, 8)}}.Toward(b, 0))
		for to[0].Load() != m && time.Since(began) < fixture.WaitTimeout {
		}
		took := time.Since(began)
		a.SendCQ.Expect(m, verbs.WCSuccess)
		return took
	}
	m, half := uint64(0), time.Duration(0)
	defer func() { t.Logf("the median request executed within %v", half) }()
	fixture.Eventually(t, "a median below half a tick", func() bool {
		var took []time.Duration
		for range requests {
			m++
			took = append(took, write(m))
		}
		slices.Sort(took)
		if took[0] < delay {
			t.Fatalf("a request executed after %v, before its delay", took[0])
		}
		half = took[requests/2]
		return half < tick/2
	})
}

// TestLinkDownFault covers that every second connected QP gets no response.
func TestLinkDownFault(t *testing.T) {
	c := conf()
	c.device = "shm_whole:linkdown=2"
	ctx := openDevice(t, c.device)
	for _, want := range []verbs.WCStatus{verbs.WCSuccess, verbs.WCRetryExcErr} {
		a, b := newSideOn(t, ctx, c), newSide(t, conf())
		fixture.Connect(a, b)
		a.Post(a.request64(verbs.OpRDMAWrite, b))
		a.SendCQ.Expect(1, want)
	}
}

// TestRNRFault covers that every third message gets an RNR NAK at first, which costs a retry.
func TestRNRFault(t *testing.T) {
	for retries, want := range map[uint8]verbs.WCStatus{0: verbs.WCRNRRetryExcErr, 1: verbs.WCSuccess} {
		a, b := pairWithFaults(t, ":rnr=3", func(c *config) { c.RNRRetry = retries })
		for id := range uint64(3) {
			b.PostRecv(recv{ID: id, SGEs: []verbs.SGE{b.SGE(0, 64)}})
			a.Post(a.request64(verbs.OpSend, b))
			status := verbs.WCSuccess
			if id == 2 {
				status = want
			}
			a.SendCQ.Expect(1, status)
		}
	}
}
