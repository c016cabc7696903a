package option

import (
	"errors"
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"
)

const maxFlowLabel = 1<<20 - 1

// pathOptions say how packets of the QPs go.
var pathOptions = []*Option{
	{
		Name: "sl", Letter: "S", Argument: "N", Group: groupWork, Compare: true,
		Help: "service level; on RoCE in a VLAN its lower three bits are the priority", Perftest: "with --rdma_cm, which chooses it, a warning says where it is another",
		Meaning: "service level of the packets; with rdma_cm, which chooses it, the one that was asked for",
		JSON:    "service_level", Unit: "1", Label: "Service level", Header: WhenSet,
		value: number(func(s *Settings) *int { return &s.SL }, 0, 15),
	}, {
		Name: "flow_label", Argument: "LABELS", Group: groupWork, Compare: true,
		Help: "flow labels of the packets' GRH, one or several with commas between them, which the QPs take in turn; RoCE v2 makes the UDP source port of it", Default: "0: the device chooses the port",
		Perftest: same,
		Meaning:  "flow labels of the packets' GRH, which the QPs take in turn; empty: 0",
		JSON:     "flow_labels", Label: "Flow label", Header: WhenSet,
		Excludes: []Exclusion{{Name: "rdma_cm", Why: "rdma_cm chooses the path"}},
		value: of[[]int]{
			at: func(s *Settings) *[]int { return &s.FlowLabels }, parse: parseLabels, show: joined, legal: legalLabels,
			json: func(labels []int) any { return append([]int{}, labels...) }, back: intsOrNil,
		},
	}, {
		Name: "qp-timeout", Letter: "u", Argument: "N", Group: groupWork, Compare: true,
		Help: "local ACK timeout: a packet is repeated after 4.096 usec times 2 to the power of N; 0: never", Perftest: same,
		Meaning: "exponent of the local ACK timeout: a packet was repeated after 4.096 microseconds times 2 to its power",
		JSON:    "qp_timeout", Unit: "1", Label: "QP timeout", Header: WhenSet,
		value: number(func(s *Settings) *int { return &s.QPTimeout }, 0, 31),
	}, {
		Name: "retry_count", Argument: "N", Group: groupWork, Compare: true,
		Help: "how often a packet is repeated until the peer counts as gone", Perftest: "without --rdma_cm too",
		Meaning: "how often a packet was repeated until the peer counted as gone",
		JSON:    "retry_count", Unit: "1", Label: "Retry count", Header: WhenSet,
		value: number(func(s *Settings) *int { return &s.RetryCount }, 0, 7),
	}, {
		Name: "ipv6", Group: groupWork, Compare: true,
		Help: "take a GID of an IPv6 address where the port has one and --gid-index names none", Perftest: "both sides take one",
		Meaning: "GIDs of IPv6 addresses came first",
		JSON:    "ipv6", Label: "IPv6 GID", Header: WhenSet,
		Excludes: []Exclusion{{Name: "rdma_cm", Why: "rdma_cm chooses the GID by the address"}},
		value:    toggle(func(s *Settings) *bool { return &s.IPv6 }),
	},
}

// marginOptions are about the time around what is measured.
var marginOptions = []*Option{{
	Name: "margin", Letter: "f", Argument: "TIME", Group: groupWork,
	Help: "warm each row up for so long before it is measured, in seconds or with a unit", Default: "0.05, which it is at least",
	Perftest: "comes before the time of --duration and is no part of it; nothing is cut off at the end",
	Meaning:  "how long each row was to be warmed up before it was measured; 0: as long as it takes",
	JSON:     "margin_s", Unit: "s", Label: "Margin", Suffix: " s", Header: WhenSet, Free: true,
	value: inSeconds(duration(func(s *Settings) *time.Duration { return &s.Margin }, time.Second, 0, MaxTime)),
}}

// ownPathOptions are those that depend on a side's own port.
var ownPathOptions = []*Option{
	{
		Name: "pkey_index", Argument: "N", Group: groupDevice, Whose: Each,
		Help: "index into the port's P_Key table", Perftest: "an index outside of the table is refused, where perftest takes 0",
		value: number(func(s *Settings) *int { return &s.Own.PKeyIndex }, 0, math.MaxUint16),
	}, {
		Name: "dlid", Argument: "LID", Group: groupDevice, Whose: Each,
		Help: "send to this LID, not to the one that the peer tells", Default: "the peer's", Perftest: same,
		value: numberOr(func(s *Settings) *int { return &s.Own.DLID }, 0, 1, math.MaxUint16),
	}, {
		Name: "vector", Letter: "X", Argument: "N", Group: groupDevice, Whose: Each,
		Help: "completion vector of the CQs, which says whose interrupt an event is", Perftest: "needs no --events beside it",
		value: number(func(s *Settings) *int { return &s.Own.Vector }, 0, 2048),
	},
}

// parseLabels reads numbers, also with 0x in front, with commas between them.
func parseLabels(text string) (labels []int, err error) {
	for part := range strings.SplitSeq(text, ",") {
		n, err := strconv.ParseUint(strings.TrimSpace(part), 0, 31)
		if err != nil {
			return nil, fmt.Errorf("write flow labels from 0 to %#x as 7,0x1f", maxFlowLabel)
		}
		labels = append(labels, int(n))
	}
	return labels, nil
}

func legalLabels(labels []int) error {
	if len(labels) > MaxQPs {
		return errors.New("there are more labels than QPs may be")
	}
	for _, n := range labels {
		if n < 0 || n > maxFlowLabel {
			return fmt.Errorf("0 to %#x are possible", maxFlowLabel)
		}
	}
	return nil
}
