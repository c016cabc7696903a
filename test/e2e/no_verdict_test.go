package e2e

import (
	"os/exec"
	"path/filepath"
	"testing"
)

// occupy keeps CPUs busy until the test ends or stop is called: each runs a shell that does nothing else.
func (w *workspace) occupy(t *testing.T, cpus ...string) (stop func()) {
	t.Helper()
	taskset, err := exec.LookPath("taskset")
	if err != nil {
		t.Fatalf("%v: install util-linux", err)
	}
	var busy []*process
	for _, cpu := range cpus {
		p := w.start(taskset, "-c", cpu, "sh", "-c", "while :; do :; done")
		p.await("CPU time", func() bool { return p.cpuTicks() > 2 })
		busy = append(busy, p)
	}
	return func() {
		for _, p := range busy {
			p.stop()
		}
	}
}

// compareOn runs a comparison whose sides measure on a CPU each, and returns the client's exit status and the
// client.
func (w *workspace) compareOn(server, client string) (status int, p *process) {
	w.t.Helper()
	s, port := w.serve("ib_write_lat", "--pin_cores", server)
	p = w.connect("ib_write_lat", port, "-d", "shm_whole", "--compare", "-s", "8", "--pin_cores", client, "--out_json_file", "out.json")
	status = p.wait(patience)
	s.exits(statusDone, patience) // it has served the client
	return status, p
}

// TestBusyCPUsGiveNoVerdict: with other work on both measuring CPUs a comparison names it and ends with status
// 9, and leaves its result. TestTrialOfNoVerdict repeats it, with and without the work.
func TestBusyCPUsGiveNoVerdict(t *testing.T) {
	first, second := twoCPUs(t)
	w := newWorkspace(t, "out.json")
	defer w.occupy(t, first, second)()
	status, client := w.compareOn(first, second)
	if status != statusUnclear {
		t.Errorf("status %d, want %d\n%s", status, statusUnclear, client.output())
	}
	client.wantStdout("NO VERDICT: the measuring thread on CPU ")
	client.wantStdout(" % of its CPU's time (limit 90 %)")
	if f := w.readResult("out.json"); len(f.Rows) == 0 || f.Error != "" {
		t.Errorf("%s: %d rows, error %q", filepath.Join(w.dir, "out.json"), len(f.Rows), f.Error)
	}
}
