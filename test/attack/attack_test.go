package main

import (
	"bytes"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/ibperf/ibperf/internal/leak"
)

// bin is the folder of the built programs.
var bin string

func TestMain(m *testing.M) { os.Exit(buildAndRun(m)) }

// buildAndRun builds the programs, without the race detector even if the tests have it.
func buildAndRun(m *testing.M) int {
	lossLimit *= 6
	var err error
	if bin, err = os.MkdirTemp("", "ibperf-attack-bin-"); err != nil {
		panic(err)
	}
	defer os.RemoveAll(bin)
	build := exec.Command("go", "build", "-o", bin+"/", "./cmd/ib_...")
	build.Dir = filepath.Join("..", "..")
	if out, err := build.CombinedOutput(); err != nil {
		panic(string(out))
	}
	return leak.Run(m.Run)
}

// TestSampleOfAttacks tries a few trials of each attack that is short; make attack tries all.
func TestSampleOfAttacks(t *testing.T) {
	for _, a := range attacks() {
		if a.sample == 0 {
			continue
		}
		t.Run(a.name, func(t *testing.T) {
			o := a.repeat(bin, a.sample)
			t.Logf("peak memory %d MiB, longest time %v", o.memory>>20, o.longest)
			for _, f := range o.failures {
				t.Error(f)
			}
		})
	}
}

// A trial that fails, or does not end as it should, is counted and printed.
func TestTableShowsWhatDidNotHold(t *testing.T) {
	a := attack{name: "of a test", try: func(t *trial) error {
		t.took(time.Duration(len(t.dir)) * time.Millisecond)
		return errors.New("it broke")
	}}
	var out bytes.Buffer
	table := newTable(&out)
	table.add(a.repeat(bin, 2))
	if table.broken != 1 || !strings.Contains(out.String(), "NOT HELD, trial 2: it broke\n") {
		t.Errorf("%d attacks are broken:\n%s", table.broken, out.String())
	}
}
