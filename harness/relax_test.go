package harness

import (
	"testing"

	"github.com/ibperf/ibperf/internal/clock"
	"github.com/ibperf/ibperf/internal/place"
	"github.com/ibperf/ibperf/option"
)

// chosenBy lets a warm-up of so many exchanges pass, each of which takes as long as its
// relaxation says, and returns what was chosen.
func chosenBy(took [place.Relaxations]int64, exchanges int) place.Relaxation {
	var r relaxing
	now := int64(1)
	arrive := r.try(clock.Func(func() int64 { return now }), func() (bool, error) { return true, nil })
	for range exchanges {
		now += took[r.trial.turn%place.Relaxations]
		_, _ = arrive()
	}
	r.choose()
	return r.chosen
}

func TestBestRelaxationIsChosen(t *testing.T) {
	const enough = 100 * trialExchanges
	for _, c := range []struct {
		none, pause, increment int64
		exchanges              int
		want                   place.Relaxation
	}{
		{200, 180, 190, enough, place.RelaxPause},
		{200, 260, 190, enough, place.RelaxIncrement},
		{200, 260, 210, enough, place.RelaxNone},
		{200, 199, 200, enough, place.RelaxNone}, // for so little
		{200, 180, 190, 2 * place.Relaxations * trialTurns * trialExchanges, place.RelaxPause},
		{200, 100, 100, trialExchanges, place.RelaxNone}, // nothing was seen
		{200, 100, 100, 0, place.RelaxNone},
	} {
		took := [place.Relaxations]int64{place.RelaxNone: c.none, place.RelaxPause: c.pause, place.RelaxIncrement: c.increment}
		if got := chosenBy(took, c.exchanges); got != c.want {
			t.Errorf("%+v: %v is chosen", c, got)
		}
	}
}

func TestChosenRelaxationStaysAndIsTold(t *testing.T) {
	var r relaxing
	r.chosen = place.RelaxPause
	if r.choose(); r.chosen != place.RelaxPause {
		t.Errorf("without a trial %v is chosen", r.chosen)
	}
	place.SetRelaxation(place.RelaxNone)
	for mode, told := range map[option.Mode]bool{option.ModeData: true, option.ModePoll: false} {
		p := testPlan(option.OpWrite, option.KindLatency, 8, 1000)
		p.Completion, p.ForceData = mode, !promised
		files, errs := pair{device: "shm_whole", plan: p}.run(t)
		if errs[0] != nil || errs[1] != nil {
			t.Fatal(errs)
		}
		for _, f := range files {
			row := f.Rows[0]
			if (row.Local.Relaxation != "") != told || (row.Peer.Relaxation != "") != told {
				t.Errorf("mode %s: relaxations are %q and %q", mode, row.Local.Relaxation, row.Peer.Relaxation)
			}
		}
	}
}
