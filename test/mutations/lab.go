package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"syscall"
	"time"
)

const (
	// target is the package that is changed, with the packages below it, and whose tests are run.
	target = "verbs/shm"
	// quick is the time limit of tests that are run before all others.
	quick = 0.5 // seconds
	// silence is the time without output after which the tests count as hanging.
	silence = 30 * time.Second

	doesNotCompile = "does not compile"
)

// lab is a folder in which mutants are compiled and tested.
type lab struct {
	dir     string
	verbose bool
	quick   string // pattern of the tests that take less than quick
}

// healthy checks that the tests pass without a mutant, and finds the quick ones.
func (l *lab) healthy() error {
	binary, err := l.compile("")
	if err != nil {
		return err
	}
	out, err := l.test(binary)
	if err != nil {
		return fmt.Errorf("the tests fail without a mutant: %w\n%s", err, out[max(0, len(out)-4000):])
	}
	var names []string
	for _, m := range regexp.MustCompile(`(?m)^--- PASS: (\S+) \(([\d.]+)s\)`).FindAllSubmatch(out, -1) {
		if seconds, err := strconv.ParseFloat(string(m[2]), 64); err == nil && seconds < quick {
			names = append(names, string(m[1]))
		}
	}
	l.quick = "^(" + strings.Join(names, "|") + ")$"
	return nil
}

// try returns what caught the mutant, "" if nothing did, or doesNotCompile.
func (l *lab) try(m mutant) (verdict string, err error) {
	overlay, err := l.overlay(m)
	if err != nil {
		return "", err
	}
	binary, err := l.compile(overlay)
	if err != nil {
		return doesNotCompile, nil
	}
	for _, which := range []string{"-test.run=" + l.quick, "-test.skip=" + l.quick} {
		out, err := l.test(binary, which)
		if err == nil {
			continue
		}
		if l.verbose {
			os.Stdout.Write(out)
		}
		return caughtBy(out, err)
	}
	return "", nil
}

// overlay writes the changed file, and the overlay file of the go command that replaces the original.
func (l *lab) overlay(m mutant) (string, error) {
	path, err := filepath.Abs(m.path)
	if err != nil {
		return "", err
	}
	source, err := os.ReadFile(path)
	if err != nil {
		return "", err
	}
	changed := filepath.Join(l.dir, "changed.go")
	if err := os.WriteFile(changed, m.apply(source), 0o600); err != nil {
		return "", err
	}
	list, err := json.Marshal(map[string]map[string]string{"Replace": {path: changed}})
	if err != nil {
		return "", err
	}
	overlay := filepath.Join(l.dir, "overlay.json")
	return overlay, os.WriteFile(overlay, list, 0o600)
}

// compile returns the test binary of the package with the overlay.
func (l *lab) compile(overlay string) (string, error) {
	binary := filepath.Join(l.dir, "tests")
	out, err := exec.Command("go", "test", "-c", "-ldflags=-s -w", "-overlay", overlay, "-o", binary, "./"+target).CombinedOutput()
	if err != nil {
		return "", fmt.Errorf("compiling the tests: %w\n%s", err, out)
	}
	return binary, nil
}

var errSilent = fmt.Errorf("printed nothing for %v", silence)

// output collects the output of tests and restarts the timer of silence with each part.
type output struct {
	text   bytes.Buffer
	silent *time.Timer
}

func (o *output) Write(p []byte) (int, error) {
	o.silent.Reset(silence)
	return o.text.Write(p)
}

// test runs the binary until a test fails, and returns its output. The process group is killed after
// silence.
func (l *lab) test(binary string, which ...string) ([]byte, error) {
	cmd := exec.Command(binary, append([]string{"-test.v", "-test.failfast"}, which...)...)
	cmd.Dir = target
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	killed := make(chan bool, 1)
	out := &output{silent: time.AfterFunc(silence, func() {
		killed <- true
		syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL)
	})}
	cmd.Stdout, cmd.Stderr = out, out
	if err := cmd.Start(); err != nil {
		return nil, err
	}
	err := cmd.Wait()
	out.silent.Stop()
	if len(killed) > 0 {
		err = errSilent
	}
	return out.text.Bytes(), err
}

var (
	failed = regexp.MustCompile(`(?m)^\s*--- FAIL: (\S+)`)
	began  = regexp.MustCompile(`(?m)^=== (?:RUN|CONT)\s+(\S+)`)
)

// caughtBy names the innermost test that failed, or the last test that began if the binary crashed or hung.
func caughtBy(out []byte, err error) (string, error) {
	word, found := "caught by", failed.FindAllSubmatch(out, -1)
	switch exit := (*exec.ExitError)(nil); {
	case errors.Is(err, errSilent):
		word, found = "hangs in", began.FindAllSubmatch(out, -1)
	case !errors.As(err, &exit):
		return "", fmt.Errorf("running the tests: %w", err)
	case len(found) == 0:
		word, found = "crashes in", began.FindAllSubmatch(out, -1)
	}
	name := ""
	for _, m := range found {
		if len(m[1]) > len(name) || word != "caught by" {
			name = string(m[1])
		}
	}
	return word + " " + name, nil
}
