package testcase

import (
	"testing"

	"github.com/ibperf/ibperf/option"
)

// TestLatencyTestsReuseOneAddress: as in perftest, each message of a latency test is at the address of the previous one. The
// receiver of a comparison or of --verify finds each message at another one.
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
					if alone := test.Span == 1; alone != c.one {
						t.Errorf("%s latency of %d bytes, %s, mode %s: %d addresses", op, size, c.name, test.Mode, test.Span)
					}
				}
			}
		}
	}
}
