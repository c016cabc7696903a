package testcase

import (
	"testing"

	"github.com/ibperf/ibperf/option"
)

// TestLatencyTestsReuseOneAddress: as in perftest, each message of a latency test arrives at the address of the previous one, but in
// a comparison and with --verify. A message is sent from the address of the previous one only if that has arrived before the next one
// is prepared: by a READ.
func TestLatencyTestsReuseOneAddress(t *testing.T) {
	for _, op := range []option.Op{option.OpWrite, option.OpSend, option.OpRead} {
		for _, size := range []int{2, 4096, 1 << 16} {
			for _, c := range []struct {
				name string
				set  func(*option.Plan)
				one  bool
			}{
				{"alone", func(*option.Plan) {}, true},
				{"--verify", func(p *option.Plan) { p.Verify = true }, false},
				{"--compare", func(p *option.Plan) { p.Compare = true }, false},
			} {
				p := option.Defaults(option.Test{Op: op, Kind: option.KindLatency})
				p.Sizes = []int{size}
				c.set(&p)
				for _, test := range NewSet(p.Resolve()).Possible {
					if alone := test.SpanIn == 1; alone != c.one || test.Span == 1 && !test.Fetches {
						t.Errorf("%s latency of %d bytes, %s, mode %s: from %d addresses to %d", op, size, c.name, test.Mode, test.Span, test.SpanIn)
					}
				}
			}
		}
	}
}
