// Package drawing lets ibperf, which has no code that draws, draw plots with the program that has it.
package drawing

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"

	"github.com/ibperf/ibperf/cmd/internal/cluster/results"
	"github.com/ibperf/ibperf/internal/subprocess"
	"github.com/ibperf/ibperf/reports/page"
	"github.com/ibperf/ibperf/result"
)

// Program is the name of the program that draws, CalledName its name if it is called through ibperf.
const (
	Program    = "ib_report"
	CalledName = "ibperf report"
)

// Path returns the path of the program that draws: it is in the folder of this program, or where the
// packages have it.
func Path() (string, error) {
	self, err := os.Executable()
	if err != nil {
		return "", err
	}
	places := []string{filepath.Join(filepath.Dir(self), Program), filepath.Join(filepath.Dir(self), "..", "lib", "ibperf", "bin", Program)}
	for _, path := range places {
		if info, err := os.Stat(path); err == nil && info.Mode().IsRegular() {
			return path, nil
		}
	}
	return "", fmt.Errorf("%s is not installed, which draws: it is neither %s", Program, strings.Join(places, " nor "))
}

// variable is the environment variable of a process that draws plots for another one.
const variable = "IBPERF_DRAWING"

// work holds what such a process reads from its standard input. It writes the figures, or nothing after an
// error, to its standard output.
type work struct {
	Dir     string            `json:"dir"`
	Runs    []*result.File    `json:"runs"`
	Cluster *results.Document `json:"cluster"` // instead of runs
}

// Elsewhere makes plots of runs in a folder, in a process of the program that draws.
func Elsewhere(dir string, runs []*result.File) ([]page.Figure, error) {
	return elsewhere(work{Dir: dir, Runs: runs})
}

// ClusterElsewhere makes the heat maps of a cluster in a folder, as Elsewhere does.
func ClusterElsewhere(dir string, d *results.Document) error {
	_, err := elsewhere(work{Dir: dir, Cluster: d})
	return err
}

func elsewhere(w work) ([]page.Figure, error) {
	path, err := Path()
	if err != nil {
		return nil, err
	}
	input, err := json.Marshal(w)
	if err != nil {
		return nil, err
	}
	var out, errs bytes.Buffer
	cmd := exec.Command(path)
	cmd.Env = append(os.Environ(), variable+"=1")
	cmd.Stdin, cmd.Stdout, cmd.Stderr = bytes.NewReader(input), &out, &errs
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true} // the terminal's signals go to this program only
	if err = subprocess.Start(cmd); err == nil {
		err = cmd.Wait()
	}
	if errs.Len() > 0 {
		return nil, errors.New(strings.TrimSpace(errs.String()))
	}
	var figures []page.Figure
	if err == nil {
		err = json.Unmarshal(out.Bytes(), &figures)
	}
	if err != nil {
		return nil, fmt.Errorf("draw with %s: %w", path, err)
	}
	return figures, nil
}

// Child makes plots and exits if [Elsewhere] has started this process.
func Child(draw func(dir string, runs []*result.File) ([]page.Figure, error), cluster func(dir string, d *results.Document) error) {
	if os.Getenv(variable) == "" {
		return
	}
	os.Unsetenv(variable)
	if err := child(draw, cluster); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	os.Exit(0)
}

func child(draw func(dir string, runs []*result.File) ([]page.Figure, error), cluster func(dir string, d *results.Document) error) error {
	var w work
	if err := json.NewDecoder(os.Stdin).Decode(&w); err != nil {
		return fmt.Errorf("read what to draw: %w", err)
	}
	if w.Cluster != nil {
		if err := cluster(w.Dir, w.Cluster); err != nil {
			return err
		}
		return json.NewEncoder(os.Stdout).Encode([]page.Figure{})
	}
	figures, err := draw(w.Dir, w.Runs)
	if err != nil {
		return err
	}
	return json.NewEncoder(os.Stdout).Encode(figures)
}
