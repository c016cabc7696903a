//go:build linux && cgo

package ibv

import (
	"bytes"
	"errors"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/ibperf/ibperf/verbs/verbstest"
)

// notOfTheStub are the statements that are skipped on the stub, with the reason.
var notOfTheStub = map[string]string{
	"DEV-16": "it has no ODP",
	"DEV-22": "it has timestamps",
	"DIO-6":  "the CPU is x86",
	"E-18":   "it offers XRC",
	"ERR-3":  "it refuses the operation when it is posted",
	"RMA-21": "it has no completion counters",
}

// notEmulated are those that are skipped by an emulated program, too.
var notEmulated = map[string]string{
	"MR-24":  "it starts a second process",
	"MW-14":  "it starts a second process",
	"DIO-10": "the library promises nothing on this CPU",
}

// The lines of statements in the output of a process.
var (
	result  = regexp.MustCompile(`(?m)^    --- [A-Z]+: TestConformance/`)
	skipped = regexp.MustCompile(`(?m)^    --- SKIP: TestConformance/(\S+)`)
)

// holdStub runs statements of the suite, by a pattern of their ids, on a kind of stub. It
// returns the ids of those that were skipped. Several processes share the statements, most of
// which wait for something that must not happen.
func holdStub(t *testing.T, statements string, env ...string) (left []string) {
	t.Helper()
	shares, n := sharesOf(statements), 0
	var outs [len(shares)][]byte
	var errs [len(shares)]error
	var all sync.WaitGroup
	for i, ids := range shares {
		if n += len(ids); len(ids) == 0 {
			continue
		}
		cmd := stubCommand(t, "^TestConformance$/^("+strings.Join(ids, "|")+")$", slices.Concat(env, []string{sharedFile(t)})...)
		all.Go(func() { outs[i], errs[i] = cmd.CombinedOutput() })
	}
	all.Wait()
	out := bytes.Join(outs[:], nil)
	if err := errors.Join(errs[:]...); err != nil || !bytes.Contains(out, []byte("--- PASS: TestConformance/")) {
		t.Fatalf("%v: %v\n%s", env, err, out)
	}
	if ran := len(result.FindAll(out, -1)); ran != n {
		t.Errorf("%v: %d of %d statements ran", env, ran, n)
	}
	for _, m := range skipped.FindAllSubmatch(out, -1) {
		left = append(left, string(m[1]))
	}
	return left
}

// sharesOf returns the ids of the statements that match, for as many processes.
func sharesOf(pattern string) (shares [4][]string) {
	matches, n := regexp.MustCompile(pattern), 0
	for _, row := range verbstest.Coverage() {
		if row.LeftOut == "" && matches.MatchString(row.ID) {
			shares[n%len(shares)] = append(shares[n%len(shares)], row.ID)
			n++
		}
	}
	return shares
}

// TestSuiteOnTheStub checks all statements on the stub, in each call mode.
func TestSuiteOnTheStub(t *testing.T) {
	t.Parallel()
	for name, forced := range callModes {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			left := holdStub(t, ".*", "IBPERF_CGO="+forced)
			for _, id := range left {
				if notOfTheStub[id] == "" && !strings.HasPrefix(id, "SRD-") && (*program == "" || notEmulated[id] == "") {
					t.Errorf("%s was skipped", id)
				}
			}
		})
	}
}

// TestSuiteOnOtherStubs checks the statements that differ on other kinds of devices.
func TestSuiteOnOtherStubs(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name, statements string
		runs             []string // what the kind is for, which must not be skipped
		env              []string
	}{
		{"InfiniBand", "^(PORT|QPS|UD|MC)-", []string{"PORT-1", "QPS-2", "UD-2", "MC-8"}, []string{"STUB_LINK=1"}},
		{"mlx5 with scatter to CQE", "^(DIO|RCV|SND)-", []string{"DIO-13"}, []string{"STUB_SCATTER=32", "STUB_MLX5=1"}},
		{"hns", "^(DIO|RCV|SND)-", []string{"DIO-13"}, []string{"STUB_SCATTER=32", "STUB_VENDOR=0x19e5"}},
		{"EFA", "^(SRD|UD)-", []string{"SRD-1", "SRD-2", "SRD-3", "SRD-7", "SRD-8", "SRD-10", "UD-1"}, []string{efaWithRDMA, "STUB_OVERTAKE=3"}},
		{"completion counters", "^RMA-(4|11|21)$", []string{"RMA-21"}, []string{"STUB_COUNTERS=1"}},
		{"EFA with completion counters", "^RMA-21$", []string{"RMA-21"}, []string{efaWithRDMA, "STUB_COUNTERS=1"}},
		{"EFA without RDMA", "^(SRD|UD)-", []string{"SRD-2", "SRD-4", "SRD-9", "UD-1"}, []string{efaWithoutRDMA}},
		{"without XRC", "^(XRC-1|E-1|E-2|E-18|DEV-21)$", []string{"E-18"}, []string{"STUB_XRC=0"}},
		{"blocks in order", "^DIO-", []string{"DIO-2"}, []string{"STUB_ORDER=2"}},
		{"nothing in order", "^DIO-", []string{"DIO-2"}, []string{"STUB_ORDER=0"}},
		{"late completions", "^(CQ|CHN|SND|RMA)-", []string{"CHN-10"}, []string{"STUB_DELAY=300"}},
		{"an old library", "^(DEV|PORT|MR|QRY|CQ|TD)-", []string{"QRY-1"}, []string{"STUB_ABI=0", "STUB_XRC=0"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			left := holdStub(t, c.statements, c.env...)
			for _, id := range c.runs {
				if slices.Contains(left, id) {
					t.Errorf("%s was skipped", id)
				}
			}
		})
	}
}
