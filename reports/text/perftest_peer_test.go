package text

import (
	"testing"

	"github.com/ibperf/ibperf/internal/testresult"
	"github.com/ibperf/ibperf/option"
	"github.com/ibperf/ibperf/result"
)

// TestHeaderOfARunWithPerftest has perftest's version, whose options hold, and who measured the rows.
func TestHeaderOfARunWithPerftest(t *testing.T) {
	f := testresult.File(t, "write", option.KindBandwidth, []int{2}, "poll")
	f.Perftest = &result.PerftestPeer{Version: "6.06", Options: result.WhoseLocal, Figures: result.WhoseLocal}
	holds(t, headerBlock(f, nil), " Peer            : perftest 6.06, which sends no options: this side's hold, and must be its options too\n Figures of      : this side\n")
	f.Perftest = &result.PerftestPeer{Version: "6.29", Options: result.WhosePeer, Figures: result.WhosePeer}
	holds(t, headerBlock(f, nil), " Peer            : perftest 6.29, whose options hold\n Figures of      : the peer\n")
}
