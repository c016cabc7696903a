package shm_test

import (
	"flag"
	"fmt"
	"runtime"
	"slices"
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
	{"the completion of a WRITE means that the peer has its data", []string{earlyDevice}, trustInCompletion},
	{"a flag WRITE after a WRITE", reorderingDevices, flagAfterWrite(false)},
	{"a flag WRITE on another QP after a WRITE", reorderingDevices, flagAfterWrite(true)},
	{"a flag WRITE after a SEND", reorderingDevices, flagAfter(verbs.OpSend)},
	{"a flag WRITE after a WRITE_WITH_IMM", reorderingDevices, flagAfter(verbs.OpRDMAWriteWithImm)},
	{"the result of a READ in a WRITE without a fence", shufflingDevices, useOfResult(verbs.OpRDMARead, verbs.OpRDMAWrite, 0)},
	{"the result of a READ in a SEND without a fence", shufflingDevices, useOfResult(verbs.OpRDMARead, verbs.OpSend, 0)},
	{"the result of an atomic operation in a WRITE without a fence", shufflingDevices, useOfResult(verbs.OpAtomicFetchAndAdd, verbs.OpRDMAWrite, 0)},
}

// ofLastWord are mistakes of a reader that spins on the last word of a message and takes it for the arrival of the rest.
var ofLastWord = []mistake{
	{"the last word of a message of 4 KiB", shufflingDevices, lastWord(placed{op: verbs.OpRDMAWrite, size: 4096, unit: 4096})},
	{"the last word of a message of two SGEs", shufflingDevices, lastWord(placed{op: verbs.OpRDMAWrite, size: 4096, unit: 4096, pieces: 2})},
	{"the last word of a READ", shufflingDevices, lastWord(placed{op: verbs.OpRDMARead, size: 4096, unit: 4096})},
	{"the last word of 128 bytes that begin within a block", shufflingDevices, lastWord(placed{op: verbs.OpRDMAWrite, at: 64, size: 4096, unit: 128})},
	{"the last word of 64 inline bytes", []string{"shm_unordered", "shm_liar"},
		lastWord(placed{op: verbs.OpRDMAWrite, size: 64, unit: 64, flags: verbs.SendInline})},
	{"the last word of a block with relaxed ordering", append([]string{"shm_whole:relaxed=shuffle"}, shufflingDevices...),
		lastWord(placed{op: verbs.OpRDMAWrite, size: 4096, unit: 128, relaxed: true})},
}

// allowed are the same requests in a way that is right.
var allowed = []mistake{
	{"an atomic operation as a flag", nil, flagAfter(verbs.OpRDMAWrite)},
	{"the result of a READ in a WRITE with a fence", nil, useOfResult(verbs.OpRDMARead, verbs.OpRDMAWrite, verbs.SendFence)},
	{"the result of a READ in a SEND with a fence", nil, useOfResult(verbs.OpRDMARead, verbs.OpSend, verbs.SendFence)},
	{"the result of an atomic operation in a WRITE with a fence", nil, useOfResult(verbs.OpAtomicFetchAndAdd, verbs.OpRDMAWrite, verbs.SendFence)},
}

// earlyDevice is a device on which WRITEs complete before the peer has their data.
const earlyDevice = "shm_whole:early=8"

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
		read := f.reader(t)
		return func(m uint64) bool {
			f.fill(m)
			if op != verbs.OpRDMAWrite {
				f.b.PostRecv(recv{SGEs: []verbs.SGE{f.b.SGE(0, dataSize)}})
			}
			asked := read(m)
			f.a.Post(data, flag)
			right := asked()
			noError(t, spinFor(f.a.SendCQ.CQ))
			if op != verbs.OpRDMAWrite {
				noError(t, spinFor(f.b.RecvCQ.CQ))
			}
			return right
		}
	}
}

// reader starts a goroutine that reads messages. read begins to wait for the flag of a message, and asked returns whether the data
// had arrived.
func (f *flagWriter) reader(t *testing.T) (read func(m uint64) (asked func() (right bool))) {
	var next, answered atomic.Uint64
	var right, stop atomic.Bool
	done := make(chan struct{})
	go func() {
		defer close(done)
		for m := uint64(1); !stop.Load(); m++ {
			for next.Load() < m && !stop.Load() {
				runtime.Gosched()
			}
			right.Store(f.awaitFlag(m, &stop))
			answered.Store(m)
		}
	}()
	t.Cleanup(func() { stop.Store(true); <-done })
	return func(m uint64) func() bool {
		next.Store(m)
		return func() bool {
			fixture.Eventually(t, "the flag", func() bool { return answered.Load() == m })
			return right.Load()
		}
	}
}

// flagAfterWrite writes data and then a flag, by two requests of one list or on two QPs.
func flagAfterWrite(twoQPs bool) func(t *testing.T, device string) func(m uint64) bool {
	return func(t *testing.T, device string) func(m uint64) bool {
		f := newFlagWriter(t, device)
		second := f.a
		if twoQPs {
			a, b := *f.a, *f.b
			a.NewQP()
			b.NewQP()
			fixture.Connect(&a, &b)
			second = &a
			f.writes[0].Flags = verbs.SendSignaled
		}
		read := f.reader(t)
		return func(m uint64) bool {
			f.fill(m)
			asked := read(m)
			f.a.Post(f.writes[0])
			second.Post(f.writes[1])
			right := asked()
			noError(t, spinFor(f.a.SendCQ.CQ))
			if twoQPs {
				noError(t, spinFor(f.a.SendCQ.CQ))
			}
			return right
		}
	}
}

// placed says how messages are placed whose last word a reader spins on.
type placed struct {
	op                     verbs.Opcode
	at, size, unit, pieces int
	relaxed                bool
	flags                  verbs.SendFlags
}

func lastWord(p placed) func(t *testing.T, device string) func(m uint64) bool {
	return func(t *testing.T, device string) func(m uint64) bool {
		c := conf()
		c.device, c.Cap.MaxInlineData = device, 64
		a, b := pair(t, c)
		if p.relaxed {
			a.relaxed(t)
			b.relaxed(t)
		}
		from, to, post := orderedTransfer(t, a, b, p.op, p.size, max(p.pieces, 1), p.at, p.flags)
		w := newWatcher(to, p.unit)
		done := make(chan struct{})
		go func() {
			defer close(done)
			w.run()
		}()
		t.Cleanup(func() {
			w.stop.Store(true)
			<-done
		})
		return func(m uint64) bool {
			for i := range atomicWords(from) {
				atomicWords(from)[i].Store(m)
			}
			noError(t, post())
			fixture.Eventually(t, "the message", func() bool { return w.seen.Load() == m })
			return w.disordered.Load() != m
		}
	}
}

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

// trustInCompletion reads the peer's memory after the completion of a WRITE, as if the requester had sent the peer a message about it by other
// means.
func trustInCompletion(t *testing.T, device string) func(m uint64) bool {
	c := conf()
	c.device = device
	a, b := pair(t, c)
	source, dest := &atomicWords(a.Mem)[0], &atomicWords(b.Mem)[0]
	write := send{Op: verbs.OpRDMAWrite, Flags: verbs.SendSignaled, SGEs: []verbs.SGE{a.SGE(0, 8)}}.Toward(b, 0)
	return func(m uint64) bool {
		source.Store(m)
		a.Post(write)
		noError(t, spinFor(a.SendCQ.CQ))
		return dest.Load() == m
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

var countMistakes = flag.Int("mistakes", 0, "print how many of N messages are wrong by each mistake on each device")

// TestTableOfMistakes prints the table of docs/EMBEDDED-DEVICE.md.
func TestTableOfMistakes(t *testing.T) {
	if *countMistakes == 0 {
		t.Skip("needs -mistakes N")
	}
	columns := append(slices.Clone(devices), "shm_whole:late=8", earlyDevice, "shm_whole:relaxed=shuffle")
	t.Log("mistake", columns)
	for _, x := range append(slices.Clone(mistakes), ofLastWord...) {
		line := x.name
		for _, device := range columns {
			t.Run(x.name+"/"+device, func(t *testing.T) {
				message, wrong := x.make(t, device), 0
				for m := range *countMistakes {
					if !message(uint64(m + 1)) {
						wrong++
					}
				}
				line += fmt.Sprintf(" | %d", wrong)
			})
		}
		t.Log(line)
	}
}

// TestMistakesAreShown covers that each mistake leads to a wrong message on the devices that are to show it.
func TestMistakesAreShown(t *testing.T) {
	for _, x := range append(slices.Clone(mistakes), ofLastWord...) {
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
	check(allowed[0], earlyDevice)
	for _, x := range mistakes {
		check(x, "shm_whole")
	}
}
