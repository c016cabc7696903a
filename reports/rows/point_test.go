package rows

import (
	"testing"

	"github.com/ibperf/ibperf/internal/testresult"
	"github.com/ibperf/ibperf/option"
	"github.com/ibperf/ibperf/result"
)

// A run whose messages are pairs of WRITEs has no joint points with a run whose messages are not.
func TestPairsHaveNoJointPointsWithSingleWRITEs(t *testing.T) {
	for routing, want := range map[option.Routing]int{option.RoutingUnknown: 1, option.RoutingAdaptive: 2} {
		poll := testresult.File(t, option.OpWrite, option.KindLatency, []int{8}, option.ModePoll)
		data := testresult.File(t, option.OpWrite, option.KindLatency, []int{8}, option.ModeData)
		poll.Parameters.Routing = routing
		points := 0
		for _, g := range Groups([]*result.File{poll, data}) {
			points += len(g.Points())
		}
		if points != want {
			t.Errorf("routing %s beside unknown: %d points, want %d", routing, points, want)
		}
	}
}
