package harness

import (
	"errors"
	"runtime"
	"strings"
	"testing"

	"github.com/ibperf/ibperf/option"
	"github.com/ibperf/ibperf/result"
)

func TestEveryTestComparesAllModes(t *testing.T) {
	eachTest(t, func(t *testing.T, op option.Op, kind option.Kind) {
		for _, verify := range []bool{false, true} {
			p := testPlan(op, kind, 0, 200)
			p.Sizes, p.Compare, p.Verify = []int{8, 4096}, true, verify
			if verify {
				p.Sizes, p.Rounds, p.Runs = []int{1, 129, 65536}, 3, 2
			}
			files, errs := pair{device: "shm_whole", plan: p}.run(t)
			if errs[0] != nil || errs[1] != nil {
				t.Fatalf("verify %v: client: %v; server: %v", verify, errs[0], errs[1])
			}
			for side, f := range files {
				checkRows(t, side, f, &p)
			}
		}
	})
}

func checkRows(t *testing.T, side int, f *result.File, p *option.Plan) {
	t.Helper()
	type name struct {
		size int
		mode string
	}
	seen := map[name]int{}
	for _, m := range f.NotMeasured {
		if !strings.HasPrefix(m.Mode, string(option.ModeEvent)) {
			t.Errorf("side %d: not measured: %+v", side, m)
		}
		seen[name{m.Size, m.Mode}]++
	}
	for i, r := range f.Rows {
		seen[name{r.Size, r.Name()}]++
		if r.Forced || len(r.Rounds) != p.Resolve().Rounds*p.Resolve().Runs {
			t.Errorf("side %d row %d: mode %s forced %v, %d rounds", side, i, r.Mode, r.Forced, len(r.Rounds))
		}
		switch p.Kind {
		case option.KindLatency:
			if l := r.Latency; l == nil || l.N != p.Iterations || l.MinNs <= 0 || l.MinNs > l.P50Ns || l.P9999Ns > l.MaxNs {
				t.Errorf("side %d row %d: latency %+v", side, i, l)
			}
		case option.KindBandwidth:
			if b := r.Bandwidth; b == nil || b.Messages == 0 || b.Messages > p.Iterations || b.Average <= 0 || b.Peak < b.Slowest {
				t.Errorf("side %d row %d: bandwidth %+v", side, i, b)
			}
		}
		if p.Verify && (r.Verify == nil || r.Verify.Messages < p.Iterations || r.Verify.Bad() != 0) {
			t.Errorf("side %d row %d: verify %+v", side, i, r.Verify)
		}
	}
	for _, size := range p.Sizes {
		for _, mode := range comparedRows() {
			if n := seen[name{size, mode}]; n != 1 {
				t.Errorf("side %d has %d rows of %d bytes in mode %s", side, n, size, mode)
			}
		}
	}
}

func TestTimedRunsWithSeveralQPs(t *testing.T) {
	eachTest(t, func(t *testing.T, op option.Op, kind option.Kind) {
		p := testPlan(op, kind, 256, 0)
		p.Duration, p.Compare, p.Rounds = 20e6, true, 4
		if kind == option.KindBandwidth || op != option.OpRead {
			p.QPs, p.TxDepth = 3, 16
		}
		files, errs := pair{device: "shm_whole", plan: p}.run(t)
		if errs[0] != nil || errs[1] != nil || countCompared(files[0]) != len(comparedRows()) {
			t.Fatalf("client: %v; server: %v; %d rows; not measured: %+v", errs[0], errs[1], len(files[0].Rows), files[0].NotMeasured)
		}
	})
}

func TestBlockOrderAtAnyOffset(t *testing.T) {
	if !promised {
		t.Skip("no order is promised on " + runtime.GOARCH)
	}
	for _, offset := range []int{1, 8, 63, 127} {
		eachTest(t, func(t *testing.T, op option.Op, kind option.Kind) {
			p := testPlan(op, kind, 0, 100)
			p.Sizes, p.Completion, p.Verify, p.Offset = []int{1, 8, 128, 129, 1000}, option.ModeData, true, offset
			files, errs := pair{device: "shm_block128", plan: p}.run(t)
			if errs[0] != nil || errs[1] != nil {
				t.Fatalf("offset %d: client: %v; server: %v", offset, errs[0], errs[1])
			}
			if got := files[0].Local.Order.Answer; got != result.OrderBlocks {
				t.Fatalf("answer %q", got)
			}
		})
	}
}

// On these devices nearly every message is torn for a moment, but threads that share a CPU do not see
// it: then a longer run has to find a torn message.
func TestWrongOrderIsSeen(t *testing.T) {
	for _, device := range []string{"shm_unordered", "shm_liar"} {
		eachTest(t, func(t *testing.T, op option.Op, kind option.Kind) {
			p := testPlan(op, kind, 4096, 1000)
			p.Completion, p.Verify, p.ForceData = option.ModeData, true, device == "shm_unordered" || !promised
			files, errs := pair{device: device, plan: p}.run(t)
			for errs == [2]error{} && p.Iterations < 100_000 {
				p.Iterations *= 5
				files, errs = pair{device: device, plan: p}.run(t)
			}
			var wrong *DataError
			for side, err := range errs {
				if !errors.As(err, &wrong) || !strings.Contains(err.Error(), "torn") {
					t.Fatalf("%s side %d: %v", device, side, err)
				}
			}
			if r := files[0].Rows[0]; r.Forced != p.ForceData {
				t.Errorf("forced is %v", r.Forced)
			}
		})
	}
}

func TestDataModeIsRefusedWithoutAPromise(t *testing.T) {
	devices := []string{"shm_unordered"}
	if !promised {
		devices = append(devices, "shm_whole", "shm_block128", "shm_liar")
	}
	eachTest(t, func(t *testing.T, op option.Op, kind option.Kind) {
		for _, device := range devices {
			p := testPlan(op, kind, 8, 100)
			p.Completion = option.ModeData
			_, errs := pair{device: device, plan: p}.run(t)
			for side, err := range errs {
				var refused *RefusedError
				if !errors.As(err, &refused) || refused.Answer != result.OrderNone || !strings.Contains(err.Error(), "--completion poll") {
					t.Errorf("%s side %d: %v", device, side, err)
				}
			}
			p.Completion = option.ModeAuto
			files, errs := pair{device: device, plan: p}.run(t)
			if errs[0] != nil || files[0].Rows[0].Mode != option.ModePoll {
				t.Errorf("%s auto: %v", device, errs[0])
			}
		}
	})
}
