//go:build trials

package packaging

import (
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/ibperf/ibperf/internal/leak"
)

var (
	builtIn  = flag.String("packages", "", "folder of the packages (default: they are built)")
	packages string // their folder
	work     string // a temporary folder

)

func TestMain(m *testing.M) {
	flag.Parse()
	os.Exit(buildAndRun(m))
}

func buildAndRun(m *testing.M) int {
	var err error
	work, err = os.MkdirTemp("", "ibperf-packaging-")
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	defer os.RemoveAll(work)
	if packages = *builtIn; packages == "" {
		packages = filepath.Join(work, "packages")
		build := exec.Command("../../packaging/release", packages, "archive", "deb", "rpm")
		build.Stderr = os.Stderr
		if err := build.Run(); err != nil {
			fmt.Fprintf(os.Stderr, "packaging/release: %v\n", err)
			return 1
		}
	}
	return leak.Run(m.Run)
}

// needs skips a test unless the machine has the programs.
func needs(t *testing.T, programs ...string) {
	t.Helper()
	for _, program := range programs {
		if _, err := exec.LookPath(program); err != nil {
			t.Skipf("not run: %s is not installed; test/packages packaging installs it", program)
		}
	}
}

// run runs a command and returns what it prints. It fails the test if the command fails.
func run(t *testing.T, name string, args ...string) string {
	t.Helper()
	return output(t, exec.Command(name, args...))
}

func output(t *testing.T, cmd *exec.Cmd) string {
	t.Helper()
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("%s: %v\n%s", strings.Join(cmd.Args, " "), err, out)
	}
	return string(out)
}

// one returns the path of the package that matches a pattern.
func one(t *testing.T, pattern string) string {
	t.Helper()
	paths, err := filepath.Glob(filepath.Join(packages, pattern))
	if err != nil || len(paths) != 1 {
		t.Fatalf("%s: %q, %v", pattern, paths, err)
	}
	return paths[0]
}

// unpacked unpacks the archive of an architecture and returns its folder.
func unpacked(t *testing.T, arch string) string {
	t.Helper()
	dir := t.TempDir()
	run(t, "tar", "-xf", one(t, "ibperf-*-linux-"+arch+".tar.gz"), "-C", dir, "--strip-components=1")
	return dir
}

// here returns the folder of the programs for this machine.
func here(t *testing.T) string {
	t.Helper()
	return filepath.Join(unpacked(t, runtime.GOARCH), "bin")
}

// pair runs a server and a client on an embedded device. The words of the client's command line follow
// those of the server's program, which listens at any port of 127.0.0.1. Before it, clients run that the
// server must refuse.
func pair(t *testing.T, dir string, server, client []string, refused ...[]string) {
	t.Helper()
	ready := filepath.Join(t.TempDir(), "port")
	command := append(server, "--port", "0", "--ready-file", ready)
	serving := exec.Command(command[0], command[1:]...)
	serving.Stderr = os.Stderr
	if err := serving.Start(); err != nil {
		t.Fatal(err)
	}
	defer serving.Wait()
	defer serving.Process.Kill()
	port := ""
	for end := time.Now().Add(time.Minute); port == ""; time.Sleep(10 * time.Millisecond) {
		if text, err := os.ReadFile(ready); err == nil {
			port = strings.TrimSpace(string(text))
		} else if time.Now().After(end) {
			t.Fatalf("%q does not listen: %v", command, err)
		}
	}
	run := func(words []string) *exec.Cmd {
		cmd := exec.Command(words[0], append(words[1:], "-d", "shm_whole", "-p", port, "127.0.0.1")...)
		cmd.Dir = dir
		return cmd
	}
	for _, words := range refused {
		if out, err := run(words).CombinedOutput(); err == nil {
			t.Errorf("%q is not refused: %s", words, out)
		}
	}
	if out := output(t, run(client)); !strings.Contains(out, "Latency Test") {
		t.Errorf("%q printed %s", client, out)
	}
}
