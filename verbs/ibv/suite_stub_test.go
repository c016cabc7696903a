//go:build linux && cgo

package ibv

import (
	"regexp"
	"runtime"
	"slices"
	"strings"
	"testing"
)

// notOfTheStub are the statements of the suite that say nothing of the stub, and why.
var notOfTheStub = map[string]string{
	"DEV-16": "it has no ODP",
	"DEV-22": "it has timestamps",
	"DIO-6":  "the CPU is x86",
	"E-18":   "it offers XRC",
	"ERR-3":  "it refuses the operation when it is posted",
}

var skipped = regexp.MustCompile(`(?m)^    --- SKIP: TestConformance/(\S+)`)

// holdStub runs statements of the suite, by a pattern of their ids, on a kind of stub. It
// returns which were skipped.
func holdStub(t *testing.T, statements string, env ...string) (left []string) {
	t.Helper()
	out, err := stubCommand(t, "^TestConformance$/"+statements, append(env, sharedFile(t))...).CombinedOutput()
	if err != nil || !strings.Contains(string(out), "--- PASS: TestConformance/") {
		t.Fatalf("%v: %v\n%s", env, err, out)
	}
	for _, m := range skipped.FindAllSubmatch(out, -1) {
		left = append(left, string(m[1]))
	}
	return left
}

// TestSuiteOnTheStub holds the stub to all statements, through both ways of timed calls.
func TestSuiteOnTheStub(t *testing.T) {
	for name, forced := range ways {
		t.Run(name, func(t *testing.T) {
			left := holdStub(t, ".*", "IBPERF_CGO="+forced)
			for _, id := range left {
				if notOfTheStub[id] == "" && runtime.GOARCH == "amd64" { // emulated ones start no second process
					t.Errorf("%s was skipped", id)
				}
			}
		})
	}
}

// TestSuiteOnOtherStubs holds other kinds of devices to what differs on them.
func TestSuiteOnOtherStubs(t *testing.T) {
	for _, c := range []struct {
		name, statements string
		runs             []string // what the kind is for, which must not be skipped
		env              []string
	}{
		{"InfiniBand", "^(PORT|QPS|UD|MC)-", []string{"PORT-1", "QPS-2", "UD-2", "MC-8"}, []string{"STUB_LINK=1"}},
		{"mlx5 with scatter to CQE", "^(DIO|RCV|SND)-", []string{"DIO-13"}, []string{"STUB_SCATTER=32", "STUB_MLX5=1"}},
		{"hns", "^(DIO|RCV|SND)-", []string{"DIO-13"}, []string{"STUB_SCATTER=32", "STUB_VENDOR=0x19e5"}},
		{"without XRC", "^(XRC-1|E-1|E-2|E-18|DEV-21)$", []string{"E-18"}, []string{"STUB_XRC=0"}},
		{"blocks in order", "^DIO-", []string{"DIO-2"}, []string{"STUB_ORDER=2"}},
		{"nothing in order", "^DIO-", []string{"DIO-2"}, []string{"STUB_ORDER=0"}},
		{"late completions", "^(CQ|CHN|SND|RMA)-", []string{"CHN-10"}, []string{"STUB_DELAY=300"}},
		{"an old library", "^(DEV|PORT|MR|QRY|CQ|TD)-", []string{"QRY-1"}, []string{"STUB_ABI=0", "STUB_XRC=0"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			left := holdStub(t, c.statements, c.env...)
			for _, id := range c.runs {
				if slices.Contains(left, id) {
					t.Errorf("%s was skipped", id)
				}
			}
		})
	}
}
