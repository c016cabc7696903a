package harness

import (
	"errors"
	"fmt"
	"testing"

	"github.com/ibperf/ibperf/option"
)

// legal calls f for each valid combination of test, transport and SRQ.
func legal(t *testing.T, f func(t *testing.T, p option.Plan)) {
	for _, test := range option.Tests() {
		for _, transport := range []option.Transport{option.RC, option.UC, option.UD, option.XRC} {
			for _, srq := range []bool{false, true} {
				p := option.Defaults(test)
				p.Transport, p.UseSRQ = transport, srq
				if p.Check() != nil {
					continue
				}
				t.Run(fmt.Sprintf("%s_%s_%s_%v", test.Op, test.Kind, transport, srq), func(t *testing.T) { f(t, p) })
			}
		}
	}
}

// Every byte of every message is received as it was sent, and lost messages are counted. In the sample
// comparisons have one size: 8 bytes for bandwidth, 1000 for latency.
func TestEveryTransportMovesEveryByte(t *testing.T) {
	legal(t, func(t *testing.T, p option.Plan) {
		p.Verify, p.Iterations = true, 100
		if !p.Atomic() {
			p.Sizes = []int{8, 1000}
		}
		for _, compare := range []bool{false, true} {
			p := p
			if p.Compare = compare; compare {
				p.Runs, p.Rounds = 1, 2
				switch {
				case wholeMatrix || p.Atomic():
				case p.Bandwidth():
					p.Sizes = []int{8}
				default:
					p.Sizes = []int{1000}
				}
			} else if p.Bandwidth() || !p.Fetches() {
				p.QPs = 2
			}
			files, errs := pair{device: "shm_whole", plan: p}.run(t)
			if err := errors.Join(errs[:]...); err != nil {
				t.Fatalf("%d QPs, compare %v: %v", p.QPs, compare, err)
			}
			for _, f := range files {
				for _, r := range f.Rows {
					checkArrived(t, &p, r.Verify.Messages, r.Verify.Bad(), r.Delivery != nil)
				}
			}
		}
	})
}

func checkArrived(t *testing.T, p *option.Plan, checked, bad uint64, counted bool) {
	t.Helper()
	if bad > 0 || checked == 0 || !p.Transport.Lossy() && checked < p.Iterations {
		t.Errorf("%d messages checked, %d bad", checked, bad)
	}
	if counted != p.Transport.Lossy() {
		t.Errorf("deliveries are counted: %v", counted)
	}
}
