package shm_test

import (
	"runtime"
	"sync/atomic"
	"testing"
	"time"

	"github.com/ibperf/ibperf/verbs"
	"github.com/ibperf/ibperf/verbs/verbstest/fixture"
)

// Mistakes of applications that the devices show: each infers from one request what only the completion of another one promises.

// mistake is an application that makes a mistake in each message, and reports whether the message was right nevertheless.
type mistake struct {
	name  string
	shown []string // devices that show it
	make  func(t *testing.T, device string) (message func(m uint64) (right bool))
}

var mistakes = []mistake{
	{"a source that is written again before the completion", reorderingDevices, reuseOfSource},
	{"a flag WRITE after a SEND", reorderingDevices, flagAfter(verbs.OpSend)},
	{"a flag WRITE after a WRITE_WITH_IMM", reorderingDevices, flagAfter(verbs.OpRDMAWriteWithImm)},
	{"the result of a READ in a WRITE without a fence", shufflingDevices, useOfResult(verbs.OpRDMARead, verbs.OpRDMAWrite, 0)},
	{"the result of a READ in a SEND without a fence", shufflingDevices, useOfResult(verbs.OpRDMARead, verbs.OpSend, 0)},
	{"the result of an atomic operation in a WRITE without a fence", shufflingDevices, useOfResult(verbs.OpAtomicFetchAndAdd, verbs.OpRDMAWrite, 0)},
}

// allowed are the same requests in a way that is right.
var allowed = []mistake{
	{"an atomic operation as a flag", nil, flagAfter(verbs.OpRDMAWrite)},
	{"the result of a READ in a WRITE with a fence", nil, useOfResult(verbs.OpRDMARead, verbs.OpRDMAWrite, verbs.SendFence)},
	{"the result of a READ in a SEND with a fence", nil, useOfResult(verbs.OpRDMARead, verbs.OpSend, verbs.SendFence)},
	{"the result of an atomic operation in a WRITE with a fence", nil, useOfResult(verbs.OpAtomicFetchAndAdd, verbs.OpRDMAWrite, verbs.SendFence)},
}

// shufflingDevices are the devices on which results of READs are late.
var shufflingDevices = []string{"shm_block128", "shm_unordered", "shm_liar"}

// flagAfter sends data by a request and then a flag, and its reader takes the flag for the arrival of the data. After a WRITE the
// flag is an atomic operation, which follows it by the InfiniBand specification (volume 1, 9.5).
func flagAfter(op verbs.Opcode) func(t *testing.T, device string) func(m uint64) bool {
	return func(t *testing.T, device string) func(m uint64) bool {
		f := newFlagWriter(t, device)
		data, flag := f.writes[0], f.writes[1]
		data.Op, data.Flags = op, 0
		if op == verbs.OpRDMAWrite {
			flag = send{Op: verbs.OpAtomicFetchAndAdd, Flags: verbs.SendSignaled, CompareAdd: 1, SGEs: []verbs.SGE{f.a.SGE(2*flagAt, 8)}}.Toward(f.b, flagAt)
		}
		var asked, answered atomic.Uint64
		var right atomic.Bool
		done := make(chan struct{})
		go func() {
			defer close(done)
			for m := uint64(1); ; m++ {
				for asked.Load() < m {
					runtime.Gosched()
				}
				if asked.Load() == stopReader {
					return
				}
				right.Store(f.awaitFlag(m, new(atomic.Bool)))
				answered.Store(m)
			}
		}()
		t.Cleanup(func() { asked.Store(stopReader); <-done })
		return func(m uint64) bool {
			f.fill(m)
			if op != verbs.OpRDMAWrite {
				f.b.PostRecv(recv{SGEs: []verbs.SGE{f.b.SGE(0, dataSize)}})
			}
			asked.Store(m)
			f.a.Post(data, flag)
			fixture.Eventually(t, "the flag", func() bool { return answered.Load() == m })
			noError(t, spinFor(f.a.SendCQ.CQ))
			if op != verbs.OpRDMAWrite {
				noError(t, spinFor(f.b.RecvCQ.CQ))
			}
			return right.Load()
		}
	}
}

const stopReader = ^uint64(0)

// useOfResult fetches a word from the peer and sends it back, by the next request and with the flags.
func useOfResult(fetch, use verbs.Opcode, flags verbs.SendFlags) func(t *testing.T, device string) func(m uint64) bool {
	return func(t *testing.T, device string) func(m uint64) bool {
		c := conf()
		c.device = device
		a, b := pair(t, c)
		word, back := &atomicWords(b.Mem)[0], &atomicWords(b.Mem)[flagAt/8]
		list := []send{
			send{Op: fetch, CompareAdd: 1, SGEs: []verbs.SGE{a.SGE(0, 8)}}.Toward(b, 0),
			send{Op: use, Flags: flags | verbs.SendSignaled, SGEs: []verbs.SGE{a.SGE(0, 8)}}.Toward(b, flagAt),
		}
		return func(m uint64) bool {
			word.Store(m)
			if use == verbs.OpSend {
				b.PostRecv(recv{SGEs: []verbs.SGE{b.SGE(flagAt, 8)}})
			}
			a.Post(list...)
			noError(t, spinFor(a.SendCQ.CQ))
			if use == verbs.OpSend {
				noError(t, spinFor(b.RecvCQ.CQ))
			}
			return back.Load() == m
		}
	}
}

// reuseOfSource writes to the source of a WRITE before the WRITE has completed.
func reuseOfSource(t *testing.T, device string) func(m uint64) bool {
	c := conf()
	c.device = device
	a, b := pair(t, c)
	source, dest := &atomicWords(a.Mem)[0], &atomicWords(b.Mem)[0]
	write := send{Op: verbs.OpRDMAWrite, Flags: verbs.SendSignaled, SGEs: []verbs.SGE{a.SGE(0, 8)}}.Toward(b, 0)
	return func(m uint64) bool {
		source.Store(m)
		a.Post(write)
		source.Store(0)
		noError(t, spinFor(a.SendCQ.CQ))
		return dest.Load() == m
	}
}

// TestMistakesAreShown covers that each mistake leads to a wrong message on the devices that are to show it.
func TestMistakesAreShown(t *testing.T) {
	for _, x := range mistakes {
		for _, device := range x.shown {
			t.Run(x.name+"/"+device, func(t *testing.T) {
				message := x.make(t, device)
				end := time.Now().Add(fixture.WaitTimeout)
				for m := uint64(1); message(m); m++ {
					if time.Now().After(end) {
						t.Fatalf("%d messages were right", m)
					}
				}
			})
		}
	}
}

// TestAllowedUseIsRight covers that what the specification allows is right on all devices, and that shm_whole shows no mistake.
func TestAllowedUseIsRight(t *testing.T) {
	check := func(x mistake, device string) {
		t.Run(x.name+"/"+device, func(t *testing.T) {
			message := x.make(t, device)
			for m := uint64(1); m <= 300; m++ {
				if !message(m) {
					t.Fatalf("message %d is wrong", m)
				}
			}
		})
	}
	for _, x := range allowed {
		for _, device := range devices {
			check(x, device)
		}
	}
	for _, x := range mistakes {
		check(x, "shm_whole")
	}
}
