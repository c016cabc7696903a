package compare

import (
	"slices"
	"testing"
	"time"

	"github.com/ibperf/ibperf/option"
)

// plans are the parts of a comparison of these sizes.
func plans(sizes ...int) []Part {
	p := option.Defaults(option.Test{})
	p.Sizes, p.MTU = sizes, 1024
	return Parts(&p)
}

func TestRunsCoverEveryTest(t *testing.T) {
	names := map[string]bool{}
	covered := map[option.Test]bool{}
	for _, r := range plans(2, 64, 4096) {
		if err := r.Plan.Check(); err != nil {
			t.Errorf("%s: %v", r.Name, err)
		}
		if names[r.Name] {
			t.Errorf("two parts are named %s", r.Name)
		}
		names[r.Name] = true
		if !r.Plan.Compare || r.Plan.Duration < option.CompareDuration || r.Plan.MTU != 1024 {
			t.Errorf("%s: compare %v, %v, MTU %d", r.Name, r.Plan.Compare, r.Plan.Duration, r.Plan.MTU)
		}
		if (len(r.Plan.Sizes) == 3 || r.Plan.Atomic()) && r.Plan.QPs == 1 && r.Plan.Gap == 0 && !r.Plan.Verify {
			covered[r.Plan.Test] = true
		}
	}
	if len(covered) != len(option.Tests()) {
		t.Errorf("of every size: %v", covered)
	}
}

// A transport has the runs of the operations that it carries, those of SEND alone with a shared
// receive queue, and a check where mode data is.
func TestRunsOfATransport(t *testing.T) {
	const shared = "RC --use-srq"
	for transport, want := range map[option.Transport]struct {
		runs, checks int
		ops          []option.Op
	}{
		shared:     {27, 0, []option.Op{option.OpSend}},
		option.RC:  {36, 3, []option.Op{option.OpWrite, option.OpSend, option.OpRead, option.OpAtomic}},
		option.XRC: {35, 2, []option.Op{option.OpWrite, option.OpSend, option.OpRead, option.OpAtomic}},
		option.UC:  {23, 1, []option.Op{option.OpWrite, option.OpSend}},
		option.UD:  {20, 0, []option.Op{option.OpSend}},
		option.SRD: {26, 2, []option.Op{option.OpWrite, option.OpSend, option.OpRead}},
	} {
		p := option.Defaults(option.Test{})
		p.Sizes, p.Transport = option.AllSizes(), transport
		if transport == shared {
			p.Transport, p.UseSRQ = option.RC, true
		}
		runs, checks, ops := Parts(&p), 0, map[option.Op]bool{}
		for _, r := range runs {
			if err := r.Plan.Check(); err != nil {
				t.Errorf("%s %s: %v", transport, r.Name, err)
			}
			if ops[r.Plan.Op] = true; r.Plan.Verify {
				checks++
			}
		}
		if len(runs) != want.runs || checks != want.checks || len(ops) != len(want.ops) {
			t.Errorf("%s: %d runs, %d checks of %v", transport, len(runs), checks, ops)
		}
		for _, op := range want.ops {
			if !ops[op] {
				t.Errorf("%s: no run of %s", transport, op)
			}
		}
	}
}

// Bandwidth tests keep their own depths: those of a latency test would make them slow.
func TestRunsHaveTheDefaultsOfTheirTests(t *testing.T) {
	for _, r := range plans(2) {
		d := option.Defaults(r.Plan.Test)
		if r.Plan.TxDepth != d.TxDepth || r.Plan.RxDepth != d.RxDepth || r.Plan.Inline != d.Inline {
			t.Errorf("%s: depths %d and %d, inline %d", r.Name, r.Plan.TxDepth, r.Plan.RxDepth, r.Plan.Inline)
		}
	}
}

func TestSweeps(t *testing.T) {
	along := map[option.Kind][]int{}
	var rates []Rate
	for _, r := range plans(2, 100, 1<<20) {
		switch p := r.Plan; {
		case p.Verify || len(p.Sizes) > 1 || p.Atomic():
		case p.OpenLoop():
			rates = append(rates, r.Rate)
		default:
			along[p.Kind] = append(along[p.Kind], p.QPs)
			if p.Sizes[0] != 100 {
				t.Errorf("%s is of %d bytes", r.Name, p.Sizes[0])
			}
		}
	}
	if got := slices.Max(along[option.KindLatency]); got != 1024 || slices.Max(along[option.KindBandwidth]) != 1024 {
		t.Errorf("most QPs are %v", along)
	}
	if len(rates) != 13 || !rates[0].Max {
		t.Errorf("rates %v", rates)
	}
	lossy := option.Defaults(option.Test{})
	lossy.Sizes, lossy.Transport = []int{64}, option.UC
	if !slices.ContainsFunc(Parts(&lossy), func(p Part) bool { return p.Plan.Gap == 10*time.Millisecond && !p.Plan.OpenLoop() }) {
		t.Error("no pause of 10 ms over UC")
	}
}

// Each part is measured in the first run, and in as many runs as it has.
func TestRunsOfAPart(t *testing.T) {
	for _, runs := range []int{1, 2, 3, 7, 10} {
		base := option.Defaults(option.Test{})
		base.Sizes, base.Runs, base.Duration = []int{8}, runs, 420*time.Millisecond
		few := 0
		for _, p := range Parts(&base) {
			measured := 0
			for run := 1; run <= runs; run++ {
				if !p.In(run, runs) {
					if run == 1 {
						t.Errorf("%s is not in the first of %d runs", p.Name, runs)
					}
					continue
				}
				if plan := p.Once(); plan.Runs != 1 || plan.Duration != p.Plan.Duration/time.Duration(p.Plan.Runs) {
					t.Errorf("%s in run %d of %d: %d runs of %v", p.Name, run, runs, plan.Runs, plan.Duration)
				}
				measured++
			}
			want := runs
			if p.Plan.Verify || p.Plan.QPs >= 256 || p.Plan.OpenLoop() {
				few++
				want = min(runs, 3)
			}
			if measured != want || p.Plan.Runs != want {
				t.Errorf("%s is measured in %d of %d runs, want %d", p.Name, measured, runs, want)
			}
		}
		if few != 20 {
			t.Errorf("%d parts have few runs", few)
		}
	}
}

func TestCheckIsLastAndOfSomeSizes(t *testing.T) {
	for _, c := range []struct{ sizes, want []int }{
		{option.AllSizes(), []int{2, 128, 8192, 1 << 20}},
		{[]int{8}, []int{8}},
		{[]int{64, 8}, []int{8, 64}},
		{[]int{8 << 20}, []int{8 << 20}},
	} {
		runs := plans(c.sizes...)
		for i, r := range runs {
			if last := i >= len(runs)-3; r.Plan.Verify != last {
				t.Errorf("run %d of %d, %s, checks: %v", i, len(runs), r.Name, r.Plan.Verify)
			}
		}
		if got := runs[len(runs)-1].Plan.Sizes; !slices.Equal(got, c.want) {
			t.Errorf("of %v %v are checked, want %v", c.sizes, got, c.want)
		}
	}
}

// Each part of a comparison of two builds is measured in every run, at two sizes at most.
func TestPartsInTurn(t *testing.T) {
	for _, c := range []struct {
		transport option.Transport
		sizes     []int
		parts     int
	}{{option.RC, option.AllSizes(), 6}, {option.RC, []int{8}, 6}, {option.UD, []int{8, 4096}, 2}} {
		p := option.Defaults(option.Test{})
		p.Sizes, p.Transport, p.Runs = c.sizes, c.transport, 3
		parts := InTurn(&p)
		if len(parts) != c.parts {
			t.Errorf("%s: %d parts, want %d", c.transport, len(parts), c.parts)
		}
		for _, part := range parts {
			if err := part.Plan.Check(); err != nil || len(part.Plan.Sizes) > 2 {
				t.Errorf("%s %s: %v, sizes %v", c.transport, part.Name, err, part.Plan.Sizes)
			}
			for run := 1; run <= RunsInTurn(&p); run++ {
				if !part.In(run, RunsInTurn(&p)) {
					t.Errorf("%s is not in run %d of %d", part.Name, run, RunsInTurn(&p))
				}
			}
			if once := part.Once(); once.Duration != option.AgainstDuration/3 {
				t.Errorf("%s takes %v in each run", part.Name, once.Duration)
			}
		}
	}
}
