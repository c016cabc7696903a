package e2e

import (
	"image/png"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"
)

// TestEach runs each script for each program: $PROGRAM, with $OP and $KIND.
func TestEach(t *testing.T) {
	each(t, func(t *testing.T, program string) {
		part := strings.Split(program, "_")
		runScripts(t, "testdata/each", "PROGRAM="+program, "OP="+part[1], "KIND="+part[2])
	})
}

// TestOnce runs each script.
func TestOnce(t *testing.T) { runScripts(t, "testdata/once") }

func runScripts(t *testing.T, dir string, vars ...string) {
	testscript.RunT(serial{t}, testscript.Params{
		Dir: dir,
		Setup: func(e *testscript.Env) error {
			e.Vars = append(append(e.Vars, vars...), "PATH="+bin+":"+os.Getenv("PATH"))
			return nil
		},
		Condition: func(name string) (bool, error) {
			return matched(name, kinds(vars)), nil
		},
		Cmds: map[string]func(*testscript.TestScript, bool, []string){
			"pair": scriptPair, "rows": scriptRows, "exits": scriptExits, "png": scriptPNG,
		},
	})
}

// kinds are the conditions [write], [lat] and so on that hold.
func kinds(vars []string) (list []string) {
	for _, v := range vars {
		if _, value, ok := strings.Cut(v, "="); ok {
			list = append(list, value)
		}
	}
	return list
}

// serial runs scripts one after another: pairs need the whole machine.
type serial struct{ *testing.T }

func (serial) Parallel()       {}
func (s serial) Verbose() bool { return testing.Verbose() }
func (s serial) Run(name string, f func(testscript.T)) {
	s.T.Run(name, func(t *testing.T) { f(serial{t}) })
}

// scriptT lets the helpers work for a script.
type scriptT struct{ *testscript.TestScript }

func (scriptT) Helper()            {}
func (s scriptT) Cleanup(f func()) { s.Defer(f) }

// scriptPair is the command
//
//	pair STATUS PROGRAM [SERVER-OPTIONS... --] CLIENT-OPTIONS...
//
// which runs a pair. Both sides must end with the status. What they print is in
// client.out, client.err, server.out and server.err, and nothing else is left.
func scriptPair(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 2 {
		ts.Fatalf("usage: pair STATUS PROGRAM [SERVER-OPTIONS... --] CLIENT-OPTIONS...")
	}
	status, err := strconv.Atoi(args[0])
	ts.Check(err)
	program, serverOptions, clientOptions := args[1], []string(nil), args[2:]
	for i, a := range clientOptions {
		if a == "--" {
			serverOptions, clientOptions = clientOptions[:i], clientOptions[i+1:]
			break
		}
	}
	p := scriptPlace(ts)
	server, port := p.serve(program, serverOptions...)
	client := p.connect(program, port, clientOptions...)
	client.ends(status, patience)
	server.ends(status, patience)
	for name, text := range map[string]*printed{
		"client.out": client.out, "client.err": client.err, "server.out": server.out, "server.err": server.err,
	} {
		ts.Check(os.WriteFile(filepath.Join(p.dir, name), []byte(text.String()), 0o666))
	}
	p.holdToSchema()
	if left := p.leftovers("client.*", "server.*", "*.json", "*.result", ".tmp", ".home"); len(left) > 0 {
		ts.Fatalf("files are left: %s", strings.Join(left, ", "))
	}
}

// scriptPlace is the folder that a script runs in.
func scriptPlace(ts *testscript.TestScript) *place {
	return &place{t: scriptT{ts}, dir: ts.MkAbs("."), temp: ts.Getenv("TMPDIR"), host: loopback}
}

// scriptRows is the command
//
//	rows LAYOUT SIZE,... MODE,...
//
// which checks the rows that both sides of the last pair have printed. LAYOUT
// is lat or bw, with -timed, -gbits or -nopeak.
func scriptRows(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 3 {
		ts.Fatalf("usage: rows LAYOUT SIZE,... MODE,...")
	}
	var sizes []int
	for size := range strings.SplitSeq(args[1], ",") {
		n, err := strconv.Atoi(size)
		ts.Check(err)
		sizes = append(sizes, n)
	}
	for _, side := range []string{"client", "server"} {
		p := &process{t: scriptT{ts}, name: side, out: &printed{}, err: &printed{}}
		p.out.b.WriteString(ts.ReadFile(side + ".out"))
		p.err.b.WriteString(ts.ReadFile(side + ".err"))
		p.wantRows(args[0], sizes, strings.Split(args[2], ","))
	}
}

// scriptExits is the command
//
//	exits STATUS PROGRAM ARGUMENTS...
//
// which runs a program to its end. What it prints is in out and err.
func scriptExits(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 2 {
		ts.Fatalf("usage: exits STATUS PROGRAM ARGUMENTS...")
	}
	status, err := strconv.Atoi(args[0])
	ts.Check(err)
	p := scriptPlace(ts)
	proc := p.start(args[1], args[2:]...)
	proc.ends(status, patience)
	ts.Check(os.WriteFile(filepath.Join(p.dir, "out"), []byte(proc.out.String()), 0o666))
	ts.Check(os.WriteFile(filepath.Join(p.dir, "err"), []byte(proc.err.String()), 0o666))
}

// scriptPNG is the command
//
//	png FOLDER
//
// which checks that there are PNG files in a folder and that they are whole.
func scriptPNG(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 1 {
		ts.Fatalf("usage: png FOLDER")
	}
	paths, err := filepath.Glob(filepath.Join(ts.MkAbs(args[0]), "*.png"))
	ts.Check(err)
	if len(paths) == 0 {
		ts.Fatalf("no PNG files")
	}
	for _, path := range paths {
		if _, err := png.Decode(strings.NewReader(ts.ReadFile(path))); err != nil {
			ts.Fatalf("%s: %v", path, err)
		}
	}
}
