package externalmodule

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"testing"

	"github.com/ibperf/ibperf/verbs"
	_ "github.com/ibperf/ibperf/verbs/ibv"
	_ "github.com/ibperf/ibperf/verbs/shm"
)

// TestUser builds the program and runs it on every device of this host, and on the device of
// the tests' own libibverbs.
func TestUser(t *testing.T) {
	program := build(t)
	devices, err := verbs.Devices()
	if err != nil {
		t.Fatal(err)
	}
	for _, d := range devices {
		t.Run(d.Name(), func(t *testing.T) { run(t, program, d.Name()) })
	}
	t.Run("stub0", func(t *testing.T) { run(t, program, "stub0", "LD_LIBRARY_PATH="+stub(t)) })
}

// TestUserOnEmbeddedDevices runs the command of docs/EMBEDDED-DEVICE.md. The program reads the destination of its WRITE after the
// completion, so it must fail with early=8, in one run of eight, and nowhere else.
func TestUserOnEmbeddedDevices(t *testing.T) {
	command := regexp.MustCompile(`(?s)    for device in .*?\n    done\n`).FindString(read(t, "../../docs/EMBEDDED-DEVICE.md"))
	program := build(t)
	dir := filepath.Dir(program)
	if err := os.Symlink(program, filepath.Join(dir, "program")); err != nil {
		t.Fatal(err)
	}
	for range 200 {
		cmd := exec.CommandContext(t.Context(), "sh", "-c", command)
		cmd.Dir = dir
		out, err := cmd.CombinedOutput()
		failed := regexp.MustCompile(`(?m)^[1-9].*`).FindAllString(string(out), -1)
		switch {
		case err != nil || len(regexp.MustCompile(`(?m)^\d+ shm_`).FindAll(out, -1)) != 7 || len(failed) > 1:
			t.Fatalf("%v\n%s", err, out)
		case len(failed) == 1 && failed[0] != "1 shm_whole:early=8":
			t.Fatal(failed)
		case len(failed) == 1:
			return
		}
	}
	t.Error("no run failed with early=8")
}

// build builds the program in a module that replaces this one by the tree.
func build(t *testing.T) string {
	t.Helper()
	tree, err := filepath.Abs("../..")
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	language := regexp.MustCompile(`(?m)^go .*`).FindString(read(t, filepath.Join(tree, "go.mod")))
	module := fmt.Sprintf("module example.org/user\n\n%s\n\nrequire github.com/ibperf/ibperf v0.0.0\n\nreplace github.com/ibperf/ibperf => %s\n", language, tree)
	for name, text := range map[string]string{
		"go.mod": module, "go.sum": read(t, filepath.Join(tree, "go.sum")), "main.go": read(t, "testdata/user/main.go"),
	} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	cmd := exec.Command("go", "build", "-mod=mod", "-o", "user", ".")
	cmd.Dir = dir
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("go build: %v\n%s", err, out)
	}
	return filepath.Join(dir, "user")
}

func read(t *testing.T, name string) string {
	t.Helper()
	text, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

func run(t *testing.T, program, device string, env ...string) {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), program, device)
	cmd.Env = append(os.Environ(), env...)
	out, err := cmd.CombinedOutput()
	if want := "written by RDMA on " + device + "\n"; err != nil || string(out) != want {
		t.Errorf("%v: %q, want %q", err, out, want)
	}
}

// stub returns a folder with the tests' own libibverbs.
func stub(t *testing.T) string {
	t.Helper()
	if _, err := exec.LookPath("gcc"); err != nil {
		t.Skip("gcc is not installed")
	}
	dir := t.TempDir()
	sources, _ := filepath.Glob("../../verbs/ibv/testdata/libibverbs/*.c")
	args := append([]string{"-shared", "-fPIC", "-pthread", "-o", filepath.Join(dir, "libibverbs.so.1")}, sources...)
	if out, err := exec.Command("gcc", args...).CombinedOutput(); err != nil {
		t.Fatalf("gcc: %v\n%s", err, out)
	}
	return dir
}
