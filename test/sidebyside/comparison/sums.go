package comparison

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/ibperf/ibperf/internal/units"
	"github.com/ibperf/ibperf/reports/result"
)

// Add appends one pair and sums the line up anew.
func (l *Line) Add(subject, reference float64) {
	l.Subject.Rounds = append(l.Subject.Rounds, subject)
	l.Reference.Rounds = append(l.Reference.Rounds, reference)
	l.Subject.Median = quantile(l.Subject.Rounds, 0.5)
	l.Reference.Median = quantile(l.Reference.Rounds, 0.5)
	l.Ratio = l.spread()
}

// spread sums up the ratios of all pairs.
func (l *Line) spread() Spread {
	ratios := make([]float64, len(l.Subject.Rounds))
	for i, v := range l.Subject.Rounds {
		ratios[i] = v / l.Reference.Rounds[i]
	}
	return Spread{Median: quantile(ratios, 0.5), Q1: quantile(ratios, 0.25), Q3: quantile(ratios, 0.75)}
}

// quantile interpolates linearly between the sorted values around place q of
// 0 to 1; without values it is 0.
func quantile(values []float64, q float64) float64 {
	if len(values) == 0 {
		return 0
	}
	sorted := slices.Sorted(slices.Values(values))
	at := q * float64(len(sorted)-1)
	low := int(at)
	high := min(low+1, len(sorted)-1)
	return sorted[low] + (at-float64(low))*(sorted[high]-sorted[low])
}

// check returns what makes c useless for tables and plots.
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
	case !result.KnownMode(l.Arrival):
		return fmt.Errorf("arrival is %q, want data, poll or event", l.Arrival)
	case scales[l.Metric].unit == "":
		return fmt.Errorf("metric is %q, want one of %s", l.Metric, strings.Join(MetricOrder, ", "))
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

// checkSums holds medians and ratios against the rounds that they are of.
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
			return fmt.Errorf("the %s is %v, but of the rounds it is %v", c.name, c.got, c.want)
		}
	}
	return nil
}

// smallest bounds what ratios are made of, in any unit of a metric.
const smallest = 1e-9

// checkPositive refuses what no ratio can be made of.
func checkPositive(name string, values ...float64) error {
	for _, v := range values {
		if !(v >= smallest && v <= units.Measurable) {
			return fmt.Errorf("%s: %v is not a number that can be measured", name, v)
		}
	}
	return nil
}
