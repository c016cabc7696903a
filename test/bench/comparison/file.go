package comparison

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"math"
	"os"
	"slices"
	"strings"

	"github.com/ibperf/ibperf/internal/atomicfile"
	"github.com/ibperf/ibperf/internal/units"
	"github.com/ibperf/ibperf/option"
	"github.com/ibperf/ibperf/result"
)

// Parse decodes the file of a comparison and checks its format, its version and the numbers of every
// line.
func Parse(data []byte) (*Comparison, error) {
	c := new(Comparison)
	if err := result.Decode(data, FormatName, FormatVersion, c); err != nil {
		return nil, err
	}
	if err := c.check(); err != nil {
		return nil, err
	}
	return c, nil
}

// Read loads and checks the comparison at path.
func Read(path string) (*Comparison, error) {
	data, err := os.ReadFile(path)
	if err != nil {
		return nil, fmt.Errorf("read comparison %s: %w", path, atomicfile.Cause(err))
	}
	c, err := Parse(data)
	if err != nil {
		return nil, fmt.Errorf("read comparison %s: %w", path, err)
	}
	return c, nil
}

// Write writes c to path, as [result.File.Write] does.
func (c *Comparison) Write(path string) error {
	data, err := json.MarshalIndent(c, "", "  ")
	if err != nil {
		return fmt.Errorf("encode comparison %s: %w", path, err)
	}
	if err := atomicfile.Write(path, append(data, '\n')); err != nil {
		return fmt.Errorf("write comparison %s: %w", path, err)
	}
	return nil
}

// check returns the first error that makes a table impossible.
func (c *Comparison) check() error {
	for i := range c.Lines {
		if err := c.Lines[i].check(); err != nil {
			return fmt.Errorf("line %d: %w", i+1, err)
		}
	}
	return nil
}

func (l *Line) check() error {
	switch {
	case l.Test == "":
		return errors.New("test is missing")
	case l.Subject.Program.Name == "" || l.Reference.Program.Name == "":
		return errors.New("subject or reference has no name")
	case l.Size < 0:
		return fmt.Errorf("size_bytes is negative: %d", l.Size)
	case !result.KnownMode(option.Mode(l.Mode)):
		return fmt.Errorf("arrival is %q, want data, poll, adaptive or event", l.Mode)
	case scales[l.Metric].unit == "":
		return fmt.Errorf("metric is %q, want one of %s", l.Metric, strings.Join(slices.Sorted(maps.Keys(scales)), ", "))
	case len(l.Subject.Rounds) != len(l.Reference.Rounds):
		return fmt.Errorf("%d rounds of the subject, %d of the reference", len(l.Subject.Rounds), len(l.Reference.Rounds))
	}
	err := errors.Join(
		checkPositive("rounds", l.Subject.Rounds...), checkPositive("rounds", l.Reference.Rounds...),
		result.CheckNumbers("goal", l.Goal))
	if err != nil {
		return err
	}
	return l.checkSums()
}

// checkSums compares medians and ratios with the rounds.
func (l *Line) checkSums() error {
	ratio := l.spread()
	for _, c := range []struct {
		name      string
		got, want float64
	}{
		{"subject's median", l.Subject.Median, quantile(l.Subject.Rounds, 0.5)},
		{"reference's median", l.Reference.Median, quantile(l.Reference.Rounds, 0.5)},
		{"median ratio", l.Ratio.Median, ratio.Median},
		{"ratio's first quartile", l.Ratio.Q1, ratio.Q1},
		{"ratio's third quartile", l.Ratio.Q3, ratio.Q3},
	} {
		if !(math.Abs(c.got-c.want) <= 1e-6*math.Abs(c.want)) {
			return fmt.Errorf("the %s is %v, want %v, that of the rounds", c.name, c.got, c.want)
		}
	}
	return nil
}

// minValue is the smallest value that a ratio is computed from, in the unit of any metric.
const minValue = 1e-9

// checkPositive rejects values from which no ratio can be computed.
func checkPositive(name string, values ...float64) error {
	for _, v := range values {
		if !(v >= minValue && v <= units.Measurable) {
			return fmt.Errorf("%s: %v is not a number that can be measured", name, v)
		}
	}
	return nil
}
