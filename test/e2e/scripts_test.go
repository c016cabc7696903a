package e2e

import (
	"fmt"
	"image/png"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/ibperf/ibperf/test/printed"
	"github.com/rogpeppe/go-internal/testscript"
)

// scriptSample has each script of testdata/each with programs that meet each of its conditions, such
// as [lat] and [!read].
var scriptSample = map[string][]string{
	"modes":      {"ib_write_lat", "ib_send_bw", "ib_read_lat"},
	"devices":    {"ib_send_lat", "ib_read_bw"},
	"sizes":      {"ib_read_lat", "ib_write_bw"},
	"directions": {"ib_send_lat", "ib_send_bw"},
	"output":     {"ib_send_lat", "ib_read_bw"},
	"nopeak":     {"ib_write_lat", "ib_write_bw"},
}

// TestScriptsOfPrograms runs [scriptSample]; TestTrialOfScripts runs each script with each program.
func TestScriptsOfPrograms(t *testing.T) {
	if all := scripts(t, "testdata/each"); len(all) != len(scriptSample) {
		t.Errorf("the sample has %d scripts, testdata/each has %q", len(scriptSample), all)
	}
	eachProgram(t, func(t *testing.T, program string) {
		var files []string
		for name, sample := range scriptSample {
			if slices.Contains(sample, program) {
				files = append(files, filepath.Join("testdata", "each", name+".txtar"))
			}
		}
		runProgramScripts(t, program, files...)
	})
}

// runProgramScripts runs scripts with a program: $PROGRAM, $OP and $KIND.
func runProgramScripts(t *testing.T, program string, files ...string) {
	part := strings.Split(program, "_")
	runScripts(t, files, "PROGRAM="+program, "OP="+part[1], "KIND="+part[2])
}

// TestScripts runs the scripts that name their programs.
func TestScripts(t *testing.T) { runScripts(t, scripts(t, "testdata/once")) }

// scripts returns the scripts in a folder.
func scripts(t *testing.T, folder string) []string {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(folder, "*.txtar"))
	if err != nil || len(files) == 0 {
		t.Fatalf("scripts in %s: %d, %v", folder, len(files), err)
	}
	return files
}

func runScripts(t *testing.T, files []string, vars ...string) {
	testscript.RunT(serial{t}, testscript.Params{
		Files: files,
		Setup: func(e *testscript.Env) error {
			e.Vars = append(append(e.Vars, vars...), "PATH="+bin+":"+os.Getenv("PATH"))
			return nil
		},
		Condition: func(name string) (bool, error) {
			return matchesAny(name, conditions(vars)), nil
		},
		Cmds: map[string]func(*testscript.TestScript, bool, []string){
			"pair": scriptPair, "rows": scriptRows, "exits": scriptExits, "png": scriptPNG,
		},
	})
}

// conditions returns the conditions [write], [lat] and so on that hold.
func conditions(vars []string) (list []string) {
	for _, v := range vars {
		if _, value, ok := strings.Cut(v, "="); ok {
			list = append(list, value)
		}
	}
	return list
}

// serial is a test whose scripts run one after another: a pair needs both cores of a small machine.
type serial struct{ *testing.T }

func (serial) Parallel()       {}
func (s serial) Verbose() bool { return testing.Verbose() }
func (s serial) Run(name string, f func(testscript.T)) {
	s.T.Run(name, func(t *testing.T) { f(serial{t}) })
}

// scriptT is a script as the [tb] of the helpers.
type scriptT struct{ *testscript.TestScript }

func (scriptT) Helper()            {}
func (s scriptT) Cleanup(f func()) { s.Defer(f) }

// scriptPair is the command
//
//	pair STATUS PROGRAM [SERVER-OPTIONS... --] CLIENT-OPTIONS...
//
// which runs a pair. Both sides must end with the status. Their output is in client.out, client.err,
// server.out and server.err, and they leave no other file.
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
	w := scriptWorkspace(ts)
	server, port := w.serve(program, serverOptions...)
	client := w.connect(program, port, clientOptions...)
	client.exits(status, patience)
	server.exits(status, patience)
	for name, text := range map[string]*printed.Output{
		"client.out": client.out, "client.err": client.err, "server.out": server.out, "server.err": server.err,
	} {
		ts.Check(os.WriteFile(filepath.Join(w.dir, name), []byte(text.String()), 0o666))
	}
	w.checkSchema()
	if left := w.leftovers("client.*", "server.*", "*.json", "*.result", ".tmp", ".home"); len(left) > 0 {
		ts.Fatalf("files are left: %s", strings.Join(left, ", "))
	}
}

// scriptWorkspace returns the folder of a script as a workspace.
func scriptWorkspace(ts *testscript.TestScript) *workspace {
	return &workspace{t: scriptT{ts}, dir: ts.MkAbs("."), temp: ts.Getenv("TMPDIR"), host: loopback}
}

// scriptRows is the command
//
//	rows LAYOUT SIZE,... MODE,...
//
// which checks the rows that both sides of the last pair printed. LAYOUT is lat or bw, with -timed,
// -gbits or -nopeak. The word compared in place of modes is all of a comparison.
func scriptRows(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 3 {
		ts.Fatalf("usage: rows LAYOUT SIZE,... MODE,...")
	}
	names := strings.Split(args[2], ",")
	if args[2] == "compared" {
		names = compared
	}
	var sizes []int
	for size := range strings.SplitSeq(args[1], ",") {
		n, err := strconv.Atoi(size)
		ts.Check(err)
		sizes = append(sizes, n)
	}
	for _, side := range []string{"client", "server"} {
		p := &process{t: scriptT{ts}, name: side, out: &printed.Output{}, err: &printed.Output{}}
		fmt.Fprint(p.out, ts.ReadFile(side+".out"))
		fmt.Fprint(p.err, ts.ReadFile(side+".err"))
		p.wantRows(args[0], sizes, names)
	}
}

// scriptExits is the command
//
//	exits STATUS PROGRAM ARGUMENTS...
//
// which runs a program to its end. Its output is in out and err.
func scriptExits(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 2 {
		ts.Fatalf("usage: exits STATUS PROGRAM ARGUMENTS...")
	}
	status, err := strconv.Atoi(args[0])
	ts.Check(err)
	w := scriptWorkspace(ts)
	proc := w.start(args[1], args[2:]...)
	proc.exits(status, patience)
	ts.Check(os.WriteFile(filepath.Join(w.dir, "out"), []byte(proc.out.String()), 0o666))
	ts.Check(os.WriteFile(filepath.Join(w.dir, "err"), []byte(proc.err.String()), 0o666))
}

// scriptPNG is the command
//
//	png FOLDER
//
// which checks that a folder has PNG files, and decodes each.
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
