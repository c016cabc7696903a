package main

import (
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// build compiles the bare programs into a new folder.
func build(t *testing.T) setup {
	t.Helper()
	if _, err := exec.LookPath("gcc"); err != nil {
		t.Skip("no gcc")
	}
	s := setup{bin: t.TempDir()}
	for _, name := range []string{"memcpy", "ascending", "eventfd", "pingpong"} {
		if out, err := exec.Command("gcc", "-O2", "-Wall", "-Wextra", "-Werror", "-o", filepath.Join(s.bin, name),
			filepath.Join("c", name+".c")).CombinedOutput(); err != nil {
			t.Fatalf("%v: %s", err, out)
		}
	}
	return s
}

func TestBareProgramsAreMeasured(t *testing.T) {
	s, r := build(t), newRunner(t, runLimit)
	copies, sendEvent, writeData := bandwidth("write", 4096, "poll", 1000), latency("send", 8, "event", 100), latency("write", 8, "data", 100)
	for _, c := range []struct {
		p        *bare
		b        bench
		min, max float64
	}{
		{s.memcpy(copies), copies, 1e6, 1e13},
		{s.ascending(copies), copies, 1e6, 1e13},
		{s.eventfd(sendEvent), sendEvent, 100, 1e9},
		{s.pingpong(writeData), writeData, 5, 1e9},
	} {
		release, err := c.p.release(t.Context())
		if err != nil || !strings.Contains(release, "glibc-") {
			t.Errorf("%s: release is %q, %v", c.p.label(), release, err)
		}
		if got, _, err := r.measure(t.Context(), c.p, c.b); err != nil || got.value < c.min || got.value > c.max {
			t.Errorf("%s: %v, %v", c.p.label(), got.value, err)
		}
	}
}

func TestBareOutputIsRefused(t *testing.T) {
	p := (setup{}).memcpy(bandwidth("write", 8, "poll", 1))
	for _, text := range []string{"", "fast", "12 ns", "0 bytes/s", "-1 bytes/s", "NaN bytes/s"} {
		if r, err := p.read(bandwidth("write", 8, "poll", 1), text, ""); err == nil {
			t.Errorf("%q is taken for %v", text, r.value)
		}
	}
}
