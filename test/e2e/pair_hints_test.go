package e2e

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/ibperf/ibperf/result"
	"github.com/ibperf/ibperf/test/stub"
)

var hintedRegion = regexp.MustCompile(`^region of ([0-9]+) bytes: (.*)$`)

// wantHints checks the lines of STUB_HINTS: that a side registered its messages, a number of whole pages without
// the credits behind them, in some regions with some hints, and freed its handle.
func wantHints(t *testing.T, file string, regions int, want string) {
	t.Helper()
	data, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(strings.TrimSpace(string(data)), "\n")
	if len(lines) != regions+1 || lines[regions] != "freed" {
		t.Fatalf("%q, want %d regions and a freed handle", lines, regions)
	}
	for _, line := range lines[:regions] {
		found := hintedRegion.FindStringSubmatch(line)
		if found == nil || found[2] != want {
			t.Fatalf("%q, want %q", line, want)
		}
		if n, _ := strconv.Atoi(found[1]); n == 0 || n%os.Getpagesize() != 0 {
			t.Errorf("%q, want whole pages", line)
		}
	}
}

// TestHintsOfMessages: the regions of the messages have the hints of their side's options, also for a CPU that
// the process is kept off, and results have them.
func TestHintsOfMessages(t *testing.T) {
	first, second := twoCPUs(t)
	for _, c := range []struct {
		program, options string
		regions          int // with relaxed ordering in bandwidth tests, and without
	}{
		{"ib_write_bw", "-s 4096 -n 2000", 2},
		{"ib_send_lat", "-s 64 -n 200", 1},
		{"ib_send_bw", "-s 4096 -n 200 -q 3 --mr_per_qp --disable_pcie_relaxed", 3},
	} {
		t.Run(c.program, func(t *testing.T) {
			w := newWorkspace(t, "*.json")
			dir, env := t.TempDir(), append(stub.Env(t), "STUB_TPH=1")
			side := func(name string) []string {
				return append(slices.Clone(env), "STUB_HINTS="+filepath.Join(dir, name))
			}
			w.env = side("server")
			server, port := w.serve(c.program, "-d", "stub0", "--ph", "1")
			w.env = side("client")
			args := []string{"-p", port, w.host, "-d", "stub0", "--pin_cores", first, "--ph=2", "--cpu_id", second, "--tph_mem", "pm", "--verify", "--out_json_file", "client.json"}
			client := w.start(c.program, append(args, strings.Fields(c.options)...)...)
			client.exits(statusDone, patience)
			server.exits(statusDone, patience)
			wantHints(t, filepath.Join(dir, "server"), c.regions, "mask 2, CPU 0, hint 1, memory 0")
			wantHints(t, filepath.Join(dir, "client"), c.regions, fmt.Sprintf("mask 7, CPU %s, hint 2, memory 1", second))
			client.wantStdout(fmt.Sprintf(" PCIe hints (TPH): hint 2 for CPU %s (persistent memory) here, hint 1 at the peer\n", second))
			f := w.readResult("client.json")
			own, peer := f.Local.TPH, f.Peer.TPH
			if own == nil || own.Hint != 2 || own.CPU == nil || strconv.Itoa(*own.CPU) != second || own.Memory != result.TPHPersistent {
				t.Errorf("the file has the client's hints %+v", own)
			}
			if peer == nil || *peer != (result.TPH{Hint: 1}) {
				t.Errorf("the file has the server's hints %+v", peer)
			}
			if v := f.Rows[0].Verify; v == nil || v.Messages == 0 || v.Bad() != 0 {
				t.Errorf("--verify found %+v", v)
			}
		})
	}
}

// TestNoHints: without the calls in the library, the device or the firmware the run ends with what they need.
func TestNoHints(t *testing.T) {
	old := filepath.Join(t.TempDir(), "old.so")
	for _, c := range []struct {
		env, options string
		says         []string
	}{
		{"", "--ph 0", []string{"alloc_dmah stub0", "rdma-core 59, Linux 6.17"}},
		{"STUB_TPH=0", "--ph 2 --cpu_id 0 --tph_mem vm", []string{"alloc_dmah stub0", "rdma-core 59, Linux 6.17"}},
		{"LD_PRELOAD=" + old, "--ph 0", []string{"alloc_dmah stub0", "rdma-core 59, Linux 6.17"}},
		{"STUB_TPH=1", "--ph 2 --cpu_id 1023 --tph_mem vm", []string{"--cpu_id 1023", "cannot run on that CPU"}},
		{"STUB_TPH=1 STUB_FAIL=alloc_dmah:22", "--ph 2", []string{"alloc_dmah stub0", "steering tags"}},
		{"IBPERF_DEVICE=shm_whole", "--ph 2", []string{"embedded devices have no PCIe"}},
	} {
		t.Run(c.env+" "+c.options, func(t *testing.T) {
			w := newWorkspace(t, readyName)
			w.env = append(append(stub.Env(t), "IBPERF_DEVICE=stub0"), strings.Fields(c.env)...)
			if strings.Contains(c.env, old) {
				sources, _ := filepath.Glob("../../verbs/ibv/testdata/libibverbs/*.c")
				args := append([]string{"-DSTUB_OLD", "-O0", "-shared", "-fPIC", "-pthread", "-o", old}, sources...)
				if out, err := exec.Command("gcc", args...).CombinedOutput(); err != nil {
					t.Fatalf("gcc: %v\n%s", err, out)
				}
			}
			server, port := w.serve("ib_write_bw")
			client := w.start("ib_write_bw", append([]string{"-p", port, w.host, "-n", "100"}, strings.Fields(c.options)...)...)
			client.exits(statusDevice, patience)
			client.wantStderr(c.says...)
			server.stop()
		})
	}
}
