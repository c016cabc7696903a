// Package limit holds the limits that command lines set for figures, and parses them: p99=5us for a latency, 350G or
// 90% for a bandwidth.
package limit

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"
)

// Latency is the largest legal value of a figure of latency.
type Latency struct {
	Figure string // one of Figures
	Time   time.Duration
}

// Figures returns the figures of latency, by the heads of their columns in tables.
func Figures() []string {
	return []string{"min", "mean", "stdev", "p50", "p90", "p99", "p99.9", "p99.99", "max"}
}

// String returns the limit as a command line has it, in ASCII.
func (l Latency) String() string {
	return l.Figure + "=" + strings.Replace(l.Time.String(), "µ", "u", 1)
}

// ParseLatencies parses limits of some figures with commas between them, such as p50=2us,p99=5us.
func ParseLatencies(text string, figures []string) (all []Latency, err error) {
	for part := range strings.SplitSeq(text, ",") {
		l, err := parseLatency(part, figures)
		if err != nil {
			return nil, err
		}
		all = Replace(all, l)
	}
	return all, nil
}

func parseLatency(text string, figures []string) (Latency, error) {
	figure, value, found := strings.Cut(text, "=")
	names := strings.Join(figures, ", ")
	if !found || figure == "" {
		return Latency{}, fmt.Errorf("write FIGURE=TIME, such as p99=10us, with one of the figures %s", names)
	}
	if !slices.Contains(figures, figure) {
		return Latency{}, fmt.Errorf("there is no figure %.20q: choose one of %s", figure, names)
	}
	d, err := time.ParseDuration(value)
	if err != nil || d <= 0 {
		return Latency{}, errors.New("write a time above 0 with its unit, such as " + figure + "=10us")
	}
	return Latency{figure, d}, nil
}

// Replace returns limits with one more, which takes the place of an earlier one of its figure.
func Replace(all []Latency, l Latency) []Latency {
	others := slices.DeleteFunc(slices.Clone(all), func(other Latency) bool { return other.Figure == l.Figure })
	return append(others, l)
}
