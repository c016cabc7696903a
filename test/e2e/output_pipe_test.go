package e2e

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/ibperf/ibperf/test/printed"
	"golang.org/x/sys/unix"
)

// reader is the reader of a pipe that a process writes its output to.
type reader struct {
	reads  int  // number of reads before the reader closes the pipe
	stderr bool // the process writes stderr to the pipe too
}

// pipeNext makes the next process write its output to a pipe, which holds one write. So a process that
// writes often sees the pipe closed.
func (w *workspace) pipeNext(r reader) {
	w.t.Helper()
	var ends [2]int
	if err := unix.Pipe2(ends[:], unix.O_CLOEXEC|unix.O_DIRECT); err != nil {
		w.t.Fatalf("make a pipe: %v", err)
	}
	out, in := os.NewFile(uintptr(ends[0]), "pipe"), os.NewFile(uintptr(ends[1]), "pipe")
	w.t.Cleanup(func() { _ = in.Close() })
	if _, err := unix.FcntlInt(in.Fd(), unix.F_SETPIPE_SZ, os.Getpagesize()); err != nil {
		w.t.Fatalf("make a pipe of one page: %v", err)
	}
	if r.reads == 0 {
		_ = out.Close()
	}
	w.next = func(proc *process) {
		proc.cmd.Stdout = in
		if r.stderr {
			proc.cmd.Stderr = in
		}
		if r.reads > 0 {
			go r.read(out, proc.out)
		}
	}
}

func (r reader) read(out *os.File, to *printed.Output) {
	defer out.Close()
	buf := make([]byte, 1<<16)
	for range r.reads {
		n, err := out.Read(buf)
		if err != nil {
			return
		}
		_, _ = to.Write(buf[:n]) // never fails
	}
}

// brokenPipe is the error of a program whose stdout is closed.
const brokenPipe = "write /dev/stdout: broken pipe: "

// TestPipeIsClosedDuringTheRun: a side whose output goes to a program such as head -1 makes the run to
// its end, writes its result file, and ends with status 1. The other side ends with status 0.
func TestPipeIsClosedDuringTheRun(t *testing.T) {
	for _, stderr := range []bool{false, true} {
		r, name := reader{1, stderr}, "stdout"
		if stderr {
			name = "stdout and stderr"
		}
		t.Run("client "+name, func(t *testing.T) {
			w := newWorkspace(t, "*.json")
			server, port := w.serve("ib_write_bw")
			w.pipeNext(r)
			client := w.connect("ib_write_bw", port, "-d", "shm_whole", "-a", "-n", "10", "--out_json_file", "side.json")
			client.exits(statusOther, patience)
			server.exits(statusDone, patience)
			w.wantWholeResult(client, r)
		})
		t.Run("server "+name, func(t *testing.T) {
			w := newWorkspace(t, "*.json")
			before := 1 // it waits for a client
			if stderr {
				before++ // and prints its port
			}
			w.pipeNext(reader{before + r.reads, stderr})
			server, port := w.serve("ib_write_bw", "--out_json_file", "side.json")
			client := w.connect("ib_write_bw", port, "-d", "shm_whole", "-a", "-n", "10")
			client.exits(statusDone, patience)
			server.exits(statusOther, patience)
			w.wantWholeResult(server, r)
		})
	}
}

// wantWholeResult checks the result file of a run of all sizes, and that the side reported the closed
// pipe in one line.
func (w *workspace) wantWholeResult(side *process, r reader) {
	w.t.Helper()
	if f := w.readResult("side.json"); len(f.Rows) != 23 || f.Interrupted || f.Error != "" || f.Finished.IsZero() {
		w.t.Fatalf("side.json: %d rows, interrupted %v, error %q, finished %v", len(f.Rows), f.Interrupted, f.Error, f.Finished)
	}
	if side.out.String() == "" {
		w.t.Fatalf("%s printed nothing before the reader closed the pipe", side.name)
	}
	if !r.stderr && (side.count(": print results: "+brokenPipe) != 1 || side.count("ib_write_bw: ") != 1) {
		w.t.Fatalf("%s did not report the closed pipe in one line\n%s", side.name, side.output())
	}
}

// TestPipeOfAPersistentServerIsClosed: the server still serves each client.
func TestPipeOfAPersistentServerIsClosed(t *testing.T) {
	w := newWorkspace(t, "*.json")
	w.pipeNext(reader{})
	server, port := w.serve("ib_write_lat", "--persistent", "--out_json_file", "all.json")
	for range 2 {
		w.connect("ib_write_lat", port, "-d", "shm_whole", "-n", "10").exits(statusDone, patience)
	}
	server.await("ends of the clients", func() bool {
		return server.count("failed with status 1: print results: "+brokenPipe) == 2
	})
	server.signal(sigTerm)
	server.exits(statusDone, stopLimit)
	for _, name := range []string{"all.1.json", "all.2.json"} {
		if f := w.readResult(name); len(f.Rows) != 1 || f.Error != "" {
			t.Errorf("%s: %d rows, error %q", name, len(f.Rows), f.Error)
		}
	}
}

// TestPipeWithoutAReader: programs that measure nothing end without a stack trace, and write whole
// files or none.
func TestPipeWithoutAReader(t *testing.T) {
	const killed = -1 // by SIGPIPE, as other tools
	w := newWorkspace(t, "caps.json", "run.json")
	w.runPair(statusDone, "ib_write_lat", "", "-d shm_whole -n 100 --out_json_file run.json")
	for line, status := range map[string]int{
		"ib_write_bw --help": statusOther, "ib_caps -d shm_whole --out_json_file caps.json": statusOther,
		"ib_report run.json": killed, "ib_report -o page run.json": killed,
	} {
		for _, stderr := range []bool{false, true} {
			w.pipeNext(reader{stderr: stderr})
			args := strings.Fields(line)
			proc := w.start(args[0], args[1:]...)
			proc.exits(status, patience)
			if lines := proc.count("\n"); lines > 1 || lines != proc.count(args[0]+": "+brokenPipe) {
				t.Errorf("%s printed\n%s", line, proc.err)
			}
		}
	}
	data, err := os.ReadFile(filepath.Join(w.dir, "caps.json"))
	if err != nil || !json.Valid(data) {
		t.Errorf("caps.json: not JSON, or error %v\n%s", err, data)
	}
}
