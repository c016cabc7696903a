package shm_test

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/ibperf/ibperf/verbs"
	"github.com/ibperf/ibperf/verbs/shm"
)

func TestDeviceNameParameters(t *testing.T) {
	d := must(verbs.Lookup("shm_unordered:seed=7"))(t)
	if d.Name() != "shm_unordered:seed=7" || !strings.Contains(d.Software(), "seed 7)") {
		t.Errorf("name %s, software %s", d.Name(), d.Software())
	}
	if same := must(verbs.Lookup(d.Name()))(t); same.Software() != d.Software() {
		t.Errorf("looked up by its name: %s", same.Software())
	}
	o := must(shm.Device("shm_liar", shm.Options{Seed: 1<<64 - 1}))(t)
	if o.Name() != "shm_liar:seed=18446744073709551615" || !strings.Contains(o.Software(), "seed 18446744073709551615)") {
		t.Errorf("with options: name %s, software %s", o.Name(), o.Software())
	}
	if must(shm.Device("shm_whole", shm.Options{}))(t).Name() != "shm_whole" {
		t.Error("shm_whole without options has another name")
	}
}

func TestInvalidDeviceNameParameters(t *testing.T) {
	for name, want := range map[string]string{
		"shm_unordered:seed=":                     "from 1 to 2^64-1",
		"shm_unordered:seed=0":                    "from 1 to 2^64-1",
		"shm_unordered:seed=-7":                   "from 1 to 2^64-1",
		"shm_unordered:seed=7us":                  "from 1 to 2^64-1",
		"shm_unordered:seed=7:seed=8":             "already set to 7",
		"shm_unordered:sed=7":                     "known are seed=N",
		"shm_whole:relaxed=strict":                "only value is shuffle",
		"shm_whole:late=0":                        "at least 1",
		"shm_whole:late=8:delay=20us":             "keeps their order",
		"shm_unordered:":                          "known are seed=N",
		"shm_whole:seed=7":                        "ascending",
		"shm_unorderd:seed=7":                     "there are: ",
		":seed=7":                                 "there are: ",
		"shm_block128:seed=184467440737095516160": "from 1 to 2^64-1",
	} {
		if d, err := verbs.Lookup(name); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, %v, want an error with %q", name, d, err, want)
		}
	}
	if _, err := shm.Device("mlx5_0", shm.Options{Seed: 7}); !errors.Is(err, verbs.ErrNoDevice) {
		t.Errorf("a device that is not embedded: %v", err)
	}
}

// TestSoftwareNamesSeed covers that a shuffling device without a seed option names the process's
// seed, and other devices name none.
func TestSoftwareNamesSeed(t *testing.T) {
	software := func(name string) string { return must(verbs.Lookup(name))(t).Software() }
	_, seed, ok := strings.Cut(software("shm_unordered"), " (seed ")
	if !ok || seed != strings.TrimLeft(seed, "0") {
		t.Errorf("no seed in %q", software("shm_unordered"))
	}
	for _, name := range devices {
		if got, want := strings.HasSuffix(software(name), " (seed "+seed), name != "shm_whole"; got != want {
			t.Errorf("%s: software %q", name, software(name))
		}
	}
	d := must(verbs.Lookup("shm_unordered:seed=" + strings.TrimSuffix(seed, ")")))(t)
	if got, want := lastStoredPieces(t, d.Name(), verbs.OpSend), lastStoredPieces(t, "shm_unordered", verbs.OpSend); !slices.Equal(got, want) {
		t.Errorf("with the named seed %d, without %d", got, want)
	}
}

// lastStoredPieces sends or reads messages of 32 pieces that all go to one word, on new devices,
// and returns for each message the piece that was stored last. The result does not depend on
// timing.
func lastStoredPieces(t *testing.T, device string, op verbs.Opcode) (last []uint64) {
	t.Helper()
	const pieces, messages = 32, 30
	c := conf()
	c.device, c.Cap.MaxSendSGE, c.Cap.MaxRecvSGE = device, pieces, pieces
	a, b := pair(t, c)
	from, to := a, b
	if op == verbs.OpRDMARead {
		from, to = b, a
	}
	for i := range pieces {
		atomicWords(from.Mem)[i].Store(uint64(i))
	}
	all := slices.Repeat([]verbs.SGE{to.SGE(0, 8)}, pieces)
	for range messages {
		w := send{Op: op, Flags: verbs.SendSignaled, SGEs: all}.Toward(b, 0)
		if op == verbs.OpSend {
			w.SGEs = []verbs.SGE{a.SGE(0, 8*pieces)}
			b.PostRecv(recv{SGEs: all})
		}
		a.Post(w)
		noError(t, spinFor(a.SendCQ.CQ))
		if op == verbs.OpSend {
			noError(t, spinFor(b.RecvCQ.CQ))
		}
		last = append(last, atomicWords(to.Mem)[0].Load())
	}
	return last
}

// TestSameSeedSameOrder covers that the same seed gives the same order, and another seed another
// order.
func TestSameSeedSameOrder(t *testing.T) {
	for _, op := range []verbs.Opcode{verbs.OpSend, verbs.OpRDMARead} {
		first := lastStoredPieces(t, "shm_unordered:seed=7", op)
		if again := lastStoredPieces(t, "shm_unordered:seed=7", op); !slices.Equal(first, again) {
			t.Errorf("%s with seed 7: %d and %d", op, first, again)
		}
		if other := lastStoredPieces(t, "shm_unordered:seed=8", op); slices.Equal(first, other) {
			t.Errorf("%s with seeds 7 and 8: both %d", op, first)
		}
	}
}
