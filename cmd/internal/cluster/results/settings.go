package results

import (
	"fmt"
	"strings"
)

// Settings holds what says which tests a run makes, and how they are judged. A run that continues has the same.
type Settings struct {
	Ranks    int     `json:"ranks"`
	Rails    int     `json:"rails" about:"devices of each rank, as -d says; those of the same place in -d are tested with each other"`
	AllRails bool    `json:"all_rails" about:"the tests of all devices of a pair of ranks ran at the same time"`
	Schedule string  `json:"schedule" about:"pairs of the first rounds, as --schedule says"`
	Partners int     `json:"partners" about:"that each node meets at least, as --partners says"`
	Together bool    `json:"together" about:"the tests of a round ran at the same time"`
	Slow     float64 `json:"slow" about:"share by which a bad node is slower, as --slow says"`
	Limits   Limits  `json:"limits" about:"of each test; empty: none"`
	Verify   bool    `json:"verify" about:"every byte was checked"`
}

// String returns the settings as options.
func (s *Settings) String() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%d ranks with %s, --schedule %s --partners %d --slow %g%%", s.Ranks, s.devicesText(), s.Schedule, s.Partners, 100*s.Slow)
	option := func(given bool, format string, values ...any) {
		if given {
			fmt.Fprintf(&b, " "+format, values...)
		}
	}
	option(s.AllRails, "--all-rails")
	option(s.Together, "--together")
	option(s.Limits.MinBandwidth > 0, "%s", s.Limits.minBandwidthText())
	option(s.Limits.MaxMedianNs > 0, "%s", maxLatencyText(p50, s.Limits.MaxMedianNs))
	option(s.Limits.MaxP99Ns > 0, "%s", maxLatencyText(p99, s.Limits.MaxP99Ns))
	option(s.Verify, "--verify")
	return b.String()
}
