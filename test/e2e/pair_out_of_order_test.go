package e2e

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/ibperf/ibperf/option"
	"github.com/ibperf/ibperf/result"
	"github.com/ibperf/ibperf/test/stub"
)

// TestOutOfOrderQPs runs on a device with MLX5DV_QP_CREATE_OOO_DP, whose QPs with it promise no order:
// mode data and comparisons have other QPs, and keep their promise. A row of --also ooo has its promise
// beside that of the others.
func TestOutOfOrderQPs(t *testing.T) {
	const offers = "STUB_OOO=16384"
	base := slices.Concat(stub.Env(t), mlx5)
	for _, c := range []struct {
		program, options string
		server, client   string
		want             []string // rows, with "ooo" for those on QPs with out-of-order placement
		order, ofOOO     string   // answers
	}{
		{"ib_write_bw", "", offers, offers, []string{"poll ooo"}, result.OrderNone, result.OrderNone},
		{"ib_send_bw", "--verify", offers, offers, []string{"poll ooo"}, result.OrderNone, result.OrderNone},
		{"ib_send_lat", "-e --touch read", offers, offers, []string{"event ooo"}, result.OrderNone, result.OrderNone},
		{"ib_write_lat", "", offers, offers, []string{"data"}, result.OrderWhole, result.OrderNone}, // auto: it has QPs for poll too
		{"ib_write_bw", "--completion data", offers, offers, []string{"data"}, result.OrderWhole, ""},
		{"ib_write_bw", "--completion auto", offers, offers, []string{"data"}, result.OrderWhole, result.OrderNone},
		{"ib_write_bw", "--no_enhanced_reorder", offers, offers, []string{"poll"}, result.OrderWhole, ""},
		{"ib_write_bw", "--use_old_post_send", offers, offers, []string{"poll"}, result.OrderWhole, ""},
		{"ib_write_bw", "-c UC", offers, offers, []string{"poll"}, result.OrderWhole, ""},
		{"ib_write_bw", "", offers, "STUB_OOO=0", []string{"poll"}, result.OrderWhole, ""},
		{"ib_write_bw", "", "STUB_OOO=0", offers, []string{"poll"}, result.OrderWhole, ""},
		{"ib_send_bw", "", "STUB_OOO=4", offers, []string{"poll"}, result.OrderWhole, ""}, // too few receives
		{"ib_write_bw", "--compare --also ooo", offers, offers, []string{"data", "poll", "poll+ooo ooo", "poll (control)"}, result.OrderWhole, result.OrderNone},
	} {
		t.Run(fmt.Sprintf("%s %s, %s, %s", c.program, c.options, c.server, c.client), func(t *testing.T) {
			w := newWorkspace(t, "*.json")
			w.env = append(slices.Clone(base), c.server)
			server, port := w.serve(c.program)
			w.env = append(slices.Clone(base), c.client)
			args := append([]string{"-d", "stub0", "-s", "64", "-n", "200", "--out_json_file", "client.json"}, strings.Fields(c.options)...)
			client := w.connect(c.program, port, args...)
			client.exits(statusDone, patience)
			server.exits(statusDone, patience)
			f := w.readResult("client.json")
			var rows []string
			for _, r := range f.Rows {
				name := r.Name()
				if f.Parameters.Compare && r.Mode == option.ModeAdaptive || r.Mode == option.ModeEvent && !r.Reorder {
					continue // not every host measures them
				}
				if r.Reorder {
					name += " ooo"
				}
				rows = append(rows, name)
				if r.Verify != nil && r.Verify.Bad() > 0 {
					t.Errorf("%s: wrong data: %+v", name, r.Verify)
				}
			}
			slices.Sort(rows)
			slices.Sort(c.want)
			if !slices.Equal(rows, c.want) {
				t.Errorf("rows %q, want %q", rows, c.want)
			}
			for _, side := range []result.Side{f.Local, f.Peer} {
				if o := side.Order; o.Answer != c.order || o.OutOfOrder != c.ofOOO {
					t.Errorf("answers %q and %q, want %q and %q", o.Answer, o.OutOfOrder, c.order, c.ofOOO)
				}
			}
		})
	}
}

// TestNoOutOfOrderRow: --also ooo is refused where a side lacks such QPs, with the side.
func TestNoOutOfOrderRow(t *testing.T) {
	base := slices.Concat(stub.Env(t), mlx5)
	for _, c := range []struct{ server, client, want string }{
		{"STUB_OOO=16384", "STUB_OOO=0", "--also ooo: mlx5dv_query_device offers no RC QPs"},
		{"STUB_OOO=0", "STUB_OOO=16384", "--also ooo: the device of the peer has no RC QPs"},
	} {
		w := newWorkspace(t)
		w.env = append(slices.Clone(base), c.server)
		server, port := w.serve("ib_write_lat")
		w.env = append(slices.Clone(base), c.client)
		client := w.connect("ib_write_lat", port, "-d", "stub0", "--compare", "--also", "ooo", "-n", "100")
		client.exits(statusDevice, patience)
		server.exits(statusDevice, patience)
		client.wantStderr(c.want)
	}
}
