package doctor

import (
	"fmt"
	"slices"
	"strings"

	"github.com/ibperf/ibperf/internal/units"
	"github.com/ibperf/ibperf/reports/phrase"
	"github.com/ibperf/ibperf/result"
	"github.com/ibperf/ibperf/verbs"
)

// growth is a group of counters that mean the same when they grow. The names are those of the drivers in Linux, for
// mlx5, efa, irdma and bnxt_re, and of the port counters of InfiniBand.
type growth struct {
	names []string
	means string
	fix   func(*run) string
}

var (
	linkErrors = growth{
		[]string{"symbol_error", "link_error_recovery", "link_downed", "port_rcv_errors", "port_rcv_remote_physical_errors", "local_link_integrity_errors", "excessive_buffer_overrun_errors", "rx_icrc_encapsulated"},
		"packets were damaged, which are sent again", cable,
	}
	lostPackets = growth{
		[]string{
			"port_xmit_discards", "out_of_sequence", "packet_seq_err", "implied_nak_seq_err", "local_ack_timeout_err", "roce_adp_retrans", "roce_adp_retrans_to",
			"rx_drops", "retrans_pkts", "retrans_timeout_events", "impaired_remote_conn_events",
			"to_retransmits", "seq_err_naks_rcvd", "oos_drop_count", "res_oos_drop_count", "rx_roce_discards", "tx_roce_discards",
		},
		"packets were lost or overtook each other, and were sent again", path,
	}
	notReady = growth{
		[]string{"rnr_nak_retry_err", "out_of_buffer", "rx_out_of_buffer", "rnr_naks_rcvd"},
		"messages found no posted receive, and were sent again after a pause", func(*run) string { return "a larger --rx-depth" },
	}
	congestion = growth{
		[]string{"np_ecn_marked_roce_packets", "np_cnp_sent", "np_cnp_pkts", "rp_cnp_handled", "rx_ecn_marked_pkts", "tx_cnp_pkts", "rx_cnp_pkts", "RxECNMrkd", "cnpSent", "cnpHandled"},
		"switches marked packets as congested, and senders lowered their rates", traffic,
	}
)

// Counters returns the names of all counters that are judged.
func Counters() []string {
	return slices.Concat(linkErrors.names, lostPackets.names, notReady.names, congestion.names)
}

// counted returns the judgment about a group of counters.
func counted(g growth) func(*run) (sentence, fix string) {
	return func(r *run) (sentence, fix string) {
		var grown []string
		for _, name := range g.names {
			if n := r.Tuning.Growth[name]; n > 0 {
				grown = append(grown, fmt.Sprintf("%s by %s", name, units.Count(n)))
			}
		}
		if grown == nil {
			return "", ""
		}
		return fmt.Sprintf("During the run counters of port %d of %s grew, %s: %s.", r.Device.Port, r.Device.Name, phrase.List(grown), g.means), g.fix(r)
	}
}

func cable(r *run) string {
	if name := r.Tuning.Interface; name != "" && r.Device.LinkLayer == verbs.LinkEthernet.String() {
		return "clean or replace cable and transceivers; `ethtool -m " + name + "` shows their state"
	}
	return "clean or replace cable and transceivers; `ibqueryerrors` shows the ports with errors"
}

func path(r *run) string {
	fix := []string{"`ibqueryerrors` shows the ports that discard packets"}
	if r.Device.LinkLayer != verbs.LinkInfiniBand.String() {
		fix = []string{"`rdma statistic show` and the switches' counters show where packets are discarded, and whether PFC or ECN is set up on the whole path"}
	}
	reordered := slices.ContainsFunc(r.file.Rows, func(row result.Row) bool { return row.Reorder })
	if r.Tuning.Growth["out_of_sequence"] > 0 && !reordered {
		fix = append(fix, "if switches route adaptively, QPs need out-of-order placement, which this run did not have")
	}
	return strings.Join(fix, "; ")
}

func traffic(r *run) string {
	if name := r.Tuning.Interface; name != "" {
		return "look for other traffic to the port of the receiver; `ethtool -S " + name + " | grep -iE 'ecn|pause|discard'`"
	}
	return "look for other traffic to the port of the receiver; `rdma statistic show`"
}
