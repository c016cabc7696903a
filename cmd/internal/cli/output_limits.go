package cli

import (
	"fmt"
	"strings"

	"github.com/ibperf/ibperf/internal/units"
	"github.com/ibperf/ibperf/option"
	"github.com/ibperf/ibperf/result"
)

// limitError is the error of figures below --limit_bw or --limit_msgrate.
type limitError struct{ text string }

func (e *limitError) Error() string { return e.text }

// checkLimits checks the rates of all rows against --limit_bw and --limit_msgrate.
func checkLimits(f *result.File, own *option.Own) error {
	var below []string
	for i := range f.Rows {
		b := f.Rows[i].Bandwidth
		if b == nil {
			continue
		}
		where := fmt.Sprintf("%d bytes, mode %s: ", f.Rows[i].Size, f.Rows[i].Name())
		if rate := units.Rate(b.Average, own.Gbits); rate < own.LimitBW {
			below = append(below, where+fmt.Sprintf("%.2f %s, and --limit_bw is %g", rate, units.RateUnit(own.Gbits), own.LimitBW))
		}
		if rate := units.Mpps(b.MsgRate); rate < own.LimitRate {
			below = append(below, where+fmt.Sprintf("%.6f Mpps, and --limit_msgrate is %g", rate, own.LimitRate))
		}
	}
	if below == nil {
		return nil
	}
	return &limitError{strings.Join(below, "; ")}
}
