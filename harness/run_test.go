package harness

import (
	"context"
	"fmt"
	"testing"

	"github.com/ibperf/ibperf/oob"
	"github.com/ibperf/ibperf/reports"
	"github.com/ibperf/ibperf/verbs"
	_ "github.com/ibperf/ibperf/verbs/shm"
)

// runBoth runs both sides of a plan as two goroutines over an embedded device.
func runBoth(t *testing.T, device string, p Plan) (files [2]*reports.File, errs [2]error) {
	t.Helper()
	a, b := oob.Pipe()
	done := make(chan struct{}, 2)
	for i, side := range []struct {
		role Role
		x    *oob.Conn
	}{{Client, a}, {Server, b}} {
		d, err := verbs.Lookup(device)
		if err != nil {
			t.Fatal(err)
		}
		c, err := d.Open()
		if err != nil {
			t.Fatal(err)
		}
		files[i] = &reports.File{}
		go func() {
			errs[i] = Run(context.Background(), Config{
				Plan: p, Role: side.role, Context: c, Port: 1, GIDIndex: -1, Exchanger: side.x,
				File: files[i], Begin: func() {}, Row: func(reports.Row) {},
			})
			if errs[i] != nil {
				side.x.Abort(errs[i].Error())
			} else {
				side.x.Close()
			}
			c.Close()
			done <- struct{}{}
		}()
	}
	<-done
	<-done
	return files, errs
}

func TestEveryTestInEveryMode(t *testing.T) {
	for _, kind := range []string{reports.KindLatency, reports.KindBandwidth} {
		for _, op := range []Op{OpWrite, OpSend, OpRead} {
			for _, verify := range []bool{false, true} {
				for _, size := range []int{2, 8, 129, 4096, 65536} {
					t.Run(fmt.Sprintf("%s/%s/verify=%v/%d", op, kind, verify, size), func(t *testing.T) {
						p := Defaults(op, kind)
						p.Sizes, p.Compare, p.Verify, p.Iterations = []int{size}, true, verify, 1000
						files, errs := runBoth(t, "shm_whole", p)
						if errs[0] != nil || errs[1] != nil {
							t.Fatalf("client: %v, server: %v", errs[0], errs[1])
						}
						for _, r := range files[0].Rows {
							if l := r.Latency; l != nil {
								t.Logf("%s: p50 %.0f p99 %.0f max %.0f cpu %.0f/%.0f sleeps %d", r.Mode, l.P50Ns, l.P99Ns, l.MaxNs, r.Local.CPUNs, r.Peer.CPUNs, r.Local.Sleeps)
							}
							if b := r.Bandwidth; b != nil {
								t.Logf("%s: %.1f MB/s peak %.1f, %.2f Mpps %d in %.6f", r.Mode, b.Average/1e6, b.Peak/1e6, b.MsgRate/1e6, b.Messages, b.Seconds)
							}
							if r.Verify != nil {
								t.Logf("%+v", *r.Verify)
							}
						}
					})
				}
			}
		}
	}
}
