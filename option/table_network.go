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

// pathOptions are options of the packets' path.
var pathOptions = []*Option{
	{
		Name: "sl", Letter: "S", Argument: "N", Group: groupPath, Compare: true,
		Help: "service level; on RoCE in a VLAN its lower three bits are the priority", Perftest: "with --rdma_cm, which chooses it, a warning reports a different one",
		Meaning: "service level of the packets; with rdma_cm, which chooses it, the requested one",
		JSON:    "service_level", Unit: "1", Label: "Service level", Header: WhenSet,
		value: number(func(s *Settings) *int { return &s.SL }, 0, 15),
	}, {
		Name: "flow_label", Argument: "LABELS", Group: groupPath, Compare: true,
		Help: "flow labels in the GRH, with commas between several, which the QPs take in turn; RoCE v2 derives the UDP source port from the label", Default: "0: the device chooses the port",
		Perftest: same,
		Meaning:  "flow labels in the GRH, which the QPs took in turn; empty: 0",
		JSON:     "flow_labels", Label: "Flow label", Header: WhenSet,
		Excludes: []Exclusion{{Name: "rdma_cm", Why: "rdma_cm chooses the path"}},
		value: valueOf[[]int]{
			at: func(s *Settings) *[]int { return &s.FlowLabels }, parse: parseLabels, show: joined, legal: legalLabels,
			json: func(labels []int) any { return append([]int{}, labels...) }, back: intsOrNil,
		},
	}, {
		Name: "qp-timeout", Letter: "u", Argument: "N", Group: groupPath, Compare: true,
		Help: "local ACK timeout of 4.096 usec times 2 to the power of N, after which a packet is sent again; 0: infinite", Perftest: same,
		Meaning: "exponent of the local ACK timeout, which was 4.096 microseconds times 2 to its power",
		JSON:    "qp_timeout", Unit: "1", Label: "QP timeout", Header: WhenSet,
		value: number(func(s *Settings) *int { return &s.QPTimeout }, 0, 31),
	}, {
		Name: "retry_count", Argument: "N", Group: groupPath, Compare: true,
		Help: "number of times that a packet is sent again before the QP fails", Perftest: "without --rdma_cm too",
		Meaning: "number of times that a packet was sent again before the QP failed",
		JSON:    "retry_count", Unit: "1", Label: "Retry count", Header: WhenSet,
		value: number(func(s *Settings) *int { return &s.RetryCount }, 0, 7),
	}, {
		Name: "ipv6", Group: groupPath, Compare: true,
		Help: "prefer the GID of an IPv6 address, unless --gid-index names one", Perftest: "both sides prefer one",
		Meaning: "GIDs of IPv6 addresses were preferred",
		JSON:    "ipv6", Label: "IPv6 GID", Header: WhenSet,
		Excludes: []Exclusion{{Name: "rdma_cm", Why: "rdma_cm chooses the GID by the address"}},
		value:    toggle(func(s *Settings) *bool { return &s.IPv6 }),
	}, {
		Name: "adaptive-routing", Argument: "ANSWER", Group: groupPath, Compare: true,
		Help:    "whether the switches route WRITEs adaptively, which they may not do with immediate data; with yes, all modes send the data by WRITE and then an empty WRITE with immediate data",
		Meaning: "whether the switches routed WRITEs adaptively, as far as the user knew; with yes, all modes sent the data by WRITE and then an empty WRITE with immediate data",
		JSON:    "adaptive_routing", Label: "Adaptive routing", Header: WhenSet,
		value: oneOf(func(s *Settings) *Routing { return &s.Routing }, RoutingAdaptive, RoutingStatic, RoutingUnknown),
	},
}

// marginOptions are options of the time around a measurement.
var marginOptions = []*Option{{
	Name: "margin", Letter: "f", Argument: "TIME", Group: groupLength,
	Help: "warm up each size and mode for TIME before it is measured, in seconds or with a unit; with --duration it is part of it, and as much is not measured at its end", Default: "0.005; less has no effect",
	Perftest: "by default 0.005 s that precede --duration, not a quarter of it; also in counted runs; in comparisons and with --run_infinitely it precedes the measured time",
	Meaning:  "requested warm-up time of each row before it was measured; 0: the minimum",
	JSON:     "margin_s", Unit: "s", Label: "Margin", Suffix: " s", Header: WhenSet, Free: true,
	value: inSeconds(duration(func(s *Settings) *time.Duration { return &s.Margin }, time.Second, 0, MaxTime)),
}}

// ownPathOptions are options of a side's own port.
var ownPathOptions = []*Option{
	{
		Name: "pkey_index", Argument: "N", Group: groupDevice, Scope: PerSide,
		Help: "index into the port's P_Key table", Perftest: "an index outside of the table is refused; perftest takes 0 instead",
		value: number(func(s *Settings) *int { return &s.Own.PKeyIndex }, 0, math.MaxUint16),
	}, {
		Name: "dlid", Argument: "LID", Group: groupDevice, Scope: PerSide,
		Help: "send to this LID instead of the peer's own", Default: "the peer's", Perftest: same,
		value: numberOr(func(s *Settings) *int { return &s.Own.DLID }, 0, 1, math.MaxUint16),
	}, {
		Name: "vector", Letter: "X", Argument: "N", Group: groupDevice, Scope: PerSide,
		Help: "completion vector of the CQs, which selects the interrupt of their events", Perftest: "does not need --events",
		value: number(func(s *Settings) *int { return &s.Own.Vector }, 0, 2048),
	},
}

// parseLabels parses numbers with commas between them. A number may have 0x in front.
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
		return errors.New("there are more labels than QPs are possible")
	}
	for _, n := range labels {
		if n < 0 || n > maxFlowLabel {
			return fmt.Errorf("0 to %#x are possible", maxFlowLabel)
		}
	}
	return nil
}
