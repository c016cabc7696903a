package e2e

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/sys/unix"
)

// reader is who reads what a process prints, and how soon that ends.
type reader struct {
	reads  int  // after so many reads the reader closes the pipe
	stderr bool // stderr goes into the pipe too
}

// readNextBy makes the next process print into a pipe. The pipe holds one write
// and no more, so that of a process that writes often some fail.
func (p *place) readNextBy(r reader) {
	p.t.Helper()
	var ends [2]int
	if err := unix.Pipe2(ends[:], unix.O_CLOEXEC|unix.O_DIRECT); err != nil {
		p.t.Fatalf("make a pipe: %v", err)
	}
	out, in := os.NewFile(uintptr(ends[0]), "pipe"), os.NewFile(uintptr(ends[1]), "pipe")
	p.t.Cleanup(func() { _ = in.Close() })
	if _, err := unix.FcntlInt(in.Fd(), unix.F_SETPIPE_SZ, os.Getpagesize()); err != nil {
		p.t.Fatalf("make a pipe of one page: %v", err)
	}
	if r.reads == 0 {
		_ = out.Close()
	}
	p.next = func(proc *process) {
		proc.cmd.Stdout = in
		if r.stderr {
			proc.cmd.Stderr = in
		}
		if r.reads > 0 {
			go r.read(out, proc.out)
		}
	}
}

func (r reader) read(out *os.File, to *printed) {
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

// unprinted is what a program says if its stdout is closed.
const unprinted = "write /dev/stdout: broken pipe: "

// TestReaderGoesDuringTheRun: who prints into "head -1" does the run to its end
// and keeps the result file. The other side does not learn of it.
func TestReaderGoesDuringTheRun(t *testing.T) {
	for _, stderr := range []bool{false, true} {
		r, name := reader{1, stderr}, "stdout"
		if stderr {
			name = "stdout and stderr"
		}
		t.Run("client "+name, func(t *testing.T) {
			p := newPlace(t, "*.json")
			server, port := p.serve("ib_write_bw")
			p.readNextBy(r)
			client := p.connect("ib_write_bw", port, "-d", "shm_whole", "-a", "-n", "10", "--out_json_file", "side.json")
			client.ends(statusOther, patience)
			server.ends(statusDone, patience)
			p.keptWhole(client, r)
		})
		t.Run("server "+name, func(t *testing.T) {
			p := newPlace(t, "*.json")
			p.readNextBy(r)
			server, port := p.serve("ib_write_bw", "--out_json_file", "side.json")
			client := p.connect("ib_write_bw", port, "-d", "shm_whole", "-a", "-n", "10")
			client.ends(statusDone, patience)
			server.ends(statusOther, patience)
			p.keptWhole(server, r)
		})
	}
}

// keptWhole checks what is left of a run of all sizes that could not be printed.
func (p *place) keptWhole(side *process, r reader) {
	p.t.Helper()
	if f := p.readResult("side.json"); len(f.Rows) != 23 || f.Interrupted || f.Error != "" || f.Finished.IsZero() {
		p.t.Fatalf("%d rows, interrupted %v, error %q, finished %v", len(f.Rows), f.Interrupted, f.Error, f.Finished)
	}
	if side.out.String() == "" {
		p.t.Fatalf("%s has printed nothing before the reader went", side.name)
	}
	if !r.stderr && (side.count(": print results: "+unprinted) != 1 || side.count("ib_write_bw: ") != 1) {
		p.t.Fatalf("%s did not say in one line what could not be printed\n%s", side.name, side.said())
	}
}

// TestReaderOfAPersistentServerGoes: each client is served all the same.
func TestReaderOfAPersistentServerGoes(t *testing.T) {
	p := newPlace(t, "*.json")
	p.readNextBy(reader{})
	server, port := p.serve("ib_write_lat", "--persistent", "--out_json_file", "all.json")
	for range 2 {
		p.connect("ib_write_lat", port, "-d", "shm_whole", "-n", "10").ends(statusDone, patience)
	}
	server.await("ends of the clients", func() bool {
		return server.count("failed with status 1: print results: "+unprinted) == 2
	})
	server.signal(sigTerm)
	server.ends(statusDone, stopLimit)
	for _, name := range []string{"all.1.json", "all.2.json"} {
		if f := p.readResult(name); len(f.Rows) != 1 || f.Error != "" {
			t.Errorf("%s: %d rows, error %q", name, len(f.Rows), f.Error)
		}
	}
}

// TestNobodyReads: programs that measure nothing end without a stack trace and
// leave nothing but whole files.
func TestNobodyReads(t *testing.T) {
	const killed = -1 // by SIGPIPE, as other tools
	p := newPlace(t, "caps.json", "run.json")
	p.run(statusDone, "ib_write_lat", "", "-d shm_whole -n 100 --out_json_file run.json")
	for line, status := range map[string]int{
		"ib_write_bw --help": statusOther, "ib_caps -d shm_whole --out_json_file caps.json": statusOther,
		"ib_report run.json": killed, "ib_report -o page run.json": killed,
	} {
		for _, stderr := range []bool{false, true} {
			p.readNextBy(reader{stderr: stderr})
			args := strings.Fields(line)
			proc := p.start(args[0], args[1:]...)
			proc.ends(status, patience)
			if lines := proc.count("\n"); lines > 1 || lines != proc.count(args[0]+": "+unprinted) {
				t.Errorf("%s said\n%s", line, proc.err)
			}
		}
	}
	data, err := os.ReadFile(filepath.Join(p.dir, "caps.json"))
	if err != nil || !json.Valid(data) {
		t.Errorf("the file of ib_caps: %v\n%s", err, data)
	}
}
