package option

import (
	"slices"
	"strings"

	"github.com/ibperf/ibperf/internal/limit"
)

// minBandwidth is the value of --min-bw.
var minBandwidth = valueOf[limit.Bandwidth]{
	at: func(s *Settings) *limit.Bandwidth { return &s.Own.MinBW }, parse: limit.ParseBandwidth, show: limit.Bandwidth.String,
}

// maxBusy is the value of --max-busy.
var maxBusy = valueOf[float64]{
	at: func(s *Settings) *float64 { return &s.Own.MaxBusy }, parse: limit.ParsePercent,
	show: func(share float64) string {
		if share == 0 {
			return ""
		}
		return limit.Percent(share)
	},
}

// maxLatencies is the value of --max-lat. Each occurrence adds limits, and the last one of a figure holds.
type maxLatencies struct{ value }

func (maxLatencies) set(s *Settings, argument string) error {
	more, err := limit.ParseLatencies(argument, limit.Figures())
	for _, l := range more {
		s.Own.MaxLat = limit.Replace(s.Own.MaxLat, l)
	}
	return err
}

func (maxLatencies) text(s *Settings) string {
	var texts []string
	for _, l := range s.Own.MaxLat {
		texts = append(texts, l.String())
	}
	return strings.Join(texts, ",")
}

func (maxLatencies) copy(to, from *Settings) { to.Own.MaxLat = slices.Clone(from.Own.MaxLat) }

// figures returns the figures that --max-lat takes, in words.
func figures() string { return choice(limit.Figures()) }

// limitsPercentile reports whether a figure of latency has a limit that only single samples give.
func (s *Settings) limitsPercentile() bool {
	return slices.ContainsFunc(s.Own.MaxLat, func(l limit.Latency) bool { return l.Figure != "mean" })
}
