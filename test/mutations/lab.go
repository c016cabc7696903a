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
	"strings"
)

const (
	target = "verbs/shm"
	// device is what the statements run on: one is enough for what all have in common.
	device = "shm_whole"
	// limit is the time for one mutation's tests: a hang counts as caught.
	limit = "5s"
)

// mutation is one fault: old, which must be there exactly once, becomes new.
type mutation struct {
	says string // what is wrong then
	by   string // statements that have to notice, or a pattern of the package's tests
	file string // in target
	old  string
	new  string
}

// run is the pattern that selects the mutation's tests.
func (m mutation) run() string {
	if strings.HasPrefix(m.by, "Test") {
		return m.by
	}
	return "^TestConformance$/^" + device + "$/^(" + strings.ReplaceAll(m.by, " ", "|") + ")$"
}

// lab is where broken packages are built and tested.
type lab struct {
	dir     string
	verbose bool
}

// healthy checks that the tests pass, and are there, when nothing is broken.
func (l lab) healthy(chosen []mutation) error {
	binary, err := l.build("")
	if err != nil {
		return err
	}
	done := map[string]bool{}
	for _, m := range chosen {
		if done[m.by] {
			continue
		}
		done[m.by] = true
		out, err := l.test(binary, m.run())
		if err != nil {
			return fmt.Errorf("%s fails without a mutation:\n%s", m.by, out)
		}
		for _, id := range strings.Fields(m.by) {
			if strings.HasPrefix(id, "Test") {
				id = "Test"
			}
			if !regexp.MustCompile(`--- PASS: \S*` + id).Match(out) {
				return fmt.Errorf("%s does not run: it has to notice %q", id, m.says)
			}
		}
	}
	return nil
}

// try breaks the package and returns what caught it, "" if nothing did.
func (l lab) try(m mutation) (verdict string, err error) {
	overlay, err := l.overlay(m)
	if err != nil {
		return "", err
	}
	binary, err := l.build(overlay)
	if err != nil {
		return "", err
	}
	out, err := l.test(binary, m.run())
	if err == nil {
		return "", nil
	}
	if l.verbose {
		os.Stdout.Write(out)
	}
	return caughtBy(out), nil
}

// overlay writes the broken file, and the list that puts it in place of the other.
func (l lab) overlay(m mutation) (string, error) {
	path, err := filepath.Abs(filepath.Join(target, m.file))
	if err != nil {
		return "", err
	}
	source, err := os.ReadFile(path)
	if err != nil {
		return "", err
	}
	if n := bytes.Count(source, []byte(m.old)); n != 1 {
		return "", fmt.Errorf("%s has the text %d times, not once: %q", m.file, n, m.old)
	}
	broken := filepath.Join(l.dir, "broken.go")
	if err := os.WriteFile(broken, bytes.Replace(source, []byte(m.old), []byte(m.new), 1), 0o600); err != nil {
		return "", err
	}
	list, err := json.Marshal(map[string]map[string]string{"Replace": {path: broken}})
	if err != nil {
		return "", err
	}
	overlay := filepath.Join(l.dir, "overlay.json")
	return overlay, os.WriteFile(overlay, list, 0o600)
}

// build returns the test binary of the package as the overlay makes it.
func (l lab) build(overlay string) (string, error) {
	binary := filepath.Join(l.dir, "tests")
	out, err := exec.Command("go", "test", "-c", "-ldflags=-s -w", "-overlay", overlay, "-o", binary, "./"+target).CombinedOutput()
	if err != nil {
		return "", fmt.Errorf("does not compile: %s", out)
	}
	return binary, nil
}

func (l lab) test(binary, pattern string) ([]byte, error) {
	cmd := exec.Command(binary, "-test.v", "-test.failfast", "-test.timeout="+limit, "-test.run="+pattern)
	cmd.Dir = target
	out, err := cmd.CombinedOutput()
	if exit := (*exec.ExitError)(nil); err != nil && !errors.As(err, &exit) {
		return nil, fmt.Errorf("%w: %s", err, out)
	}
	return out, err
}

var (
	failed = regexp.MustCompile(`(?m)^\s*--- FAIL: (\S+)`)
	hangs  = regexp.MustCompile(`(?m)^\t{1,2}(Test\S+) \(\d`) // in the list of running tests
	began  = regexp.MustCompile(`(?m)^=== RUN\s+(\S+)`)
)

// caughtBy names the innermost test that noticed. A crash is noticed by the test
// that ran.
func caughtBy(out []byte) string {
	word, found := "caught by", failed.FindAllSubmatch(out, -1)
	if bytes.Contains(out, []byte("panic: test timed out")) {
		word, found = "hangs in", hangs.FindAllSubmatch(out, -1)
	} else if bytes.Contains(out, []byte("\ngoroutine ")) {
		word, found = "crashes in", began.FindAllSubmatch(out, -1)
	}
	name := ""
	for _, m := range found {
		if len(m[1]) > len(name) || word == "crashes in" {
			name = string(m[1])
		}
	}
	return word + " " + strings.TrimPrefix(name, "TestConformance/"+device+"/")
}
