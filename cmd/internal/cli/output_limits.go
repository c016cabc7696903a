package cli

import (
	"strings"

	"github.com/ibperf/ibperf/option"
	"github.com/ibperf/ibperf/reports/limits"
	"github.com/ibperf/ibperf/result"
)

// limitError is the error of figures that missed limits, with a line for each limit.
type limitError struct{ lines []string }

func (e *limitError) Error() string { return strings.Join(e.lines, "\n") }

// checkLimits checks the rows of a complete run against the limits of this side, and adds the limits to its file.
func checkLimits(f *result.File, own *option.Own) error {
	if missed := limits.Check(f, own); missed != nil {
		return &limitError{missed}
	}
	return nil
}
