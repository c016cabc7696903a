package option

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"
	"time"

	"github.com/ibperf/ibperf/verbs"
)

var workOptions = []*Option{
	{
		Name: "size", Letter: "s", Argument: "BYTES", Group: groupWork, Compare: true,
		Help:     "message size in bytes, KiB as 64K, MiB as 1M or GiB as 1G; several with commas between them",
		Perftest: "also G and a list; what is no size is refused: perftest takes 64k for 64 bytes; atomic operations have 8 bytes and no others, as there",
		Meaning:  "message sizes",
		JSON:     "sizes_bytes", Unit: "bytes", Label: "Sizes", Suffix: " bytes", Free: true,
		value: of[[]int]{
			at: func(s *Settings) *[]int { return &s.Sizes }, parse: parseSizes, show: joined, legal: legalSizes,
		},
	}, {
		Name: "all", Letter: "a", Group: groupWork, Compare: true, As: "size", Prevails: true, Only: sized,
		Help: "all sizes: powers of two from 2 bytes to 8 MiB", Perftest: "goes with -D too; beside it --size is dropped, as there",
		value: allSizes{},
	}, {
		Name: "iters", Letter: "n", Argument: "N", Group: groupWork,
		Help: "messages of each size, mode and QP", Perftest: "beside --duration it is dropped, as there; given on the other side it is refused",
		Meaning: "messages of each size, mode and QP; 0 in a timed run",
		JSON:    "iterations", Unit: "messages", Label: "Messages", Suffix: " for each size, mode and QP", Free: true,
		Excludes: []Exclusion{{Name: "duration", Why: "a run is either counted or timed", Yields: true}},
		value:    numberOr(func(s *Settings) *uint64 { return &s.Iterations }, 0, MinIterations, MaxIterations),
	}, {
		Name: "duration", Letter: "D", Argument: "TIME", Group: groupWork, Compare: true,
		Help:     "time of each measurement in seconds or with a unit as 500ms, instead of a number of messages",
		Default:  "0.2 with --compare, else --iters counts",
		Perftest: "is the time that is measured, not twice that; goes with -a and -e",
		Meaning:  "time of each measurement; 0 in a counted run",
		JSON:     "duration_s", Unit: "s", Label: "Duration", Suffix: " s for each size and mode", Free: true,
		value: inSeconds(duration(func(s *Settings) *time.Duration { return &s.Duration }, time.Second, time.Millisecond, MaxTime)),
	}, {
		Name: "run_infinitely", Group: groupWork, Only: Test.Bandwidth,
		Help:     "go on until a signal: a line for each interval of --duration, or of 5 s, and a summary at the end",
		Perftest: "with a summary; on both sides, either of which a signal ends, with status 0",
		Meaning:  "the run went on until a signal ended it, in intervals of duration_s",
		JSON:     "run_infinitely", Label: "Run infinitely", Header: WhenSet, Free: true,
		Excludes: []Exclusion{
			{Name: "iters", Why: "a run without an end has no number of messages"}, {Name: "all", Why: "a run without an end has one size"},
			{Name: "compare", Why: "a comparison ends when it knows enough"}, {Name: "rounds", Why: "its rounds are the intervals"}, {Name: "runs", Why: "the first run does not end"},
		},
		value: toggle(func(s *Settings) *bool { return &s.Endless }),
	}, {
		Name: "qp", Letter: "q", Argument: "N", Group: groupWork,
		Help:     "number of QPs; in latency tests of WRITE and SEND each message goes over another one, and the receiver looks at all; those of READ and atomic operations have one",
		Perftest: "latency tests of WRITE and SEND take several",
		Meaning:  "number of QPs",
		JSON:     "qps", Unit: "QPs", Label: "Number of qps", Header: Always,
		value: number(func(s *Settings) *int { return &s.QPs }, 1, MaxQPs),
	}, {
		Name: "connection", Letter: "c", Argument: "TYPE", Group: groupWork, Compare: true,
		Help:     "transport of the QPs: RC, UC (WRITE and SEND), UD (SEND), XRC or, on EFA, SRD (WRITE, SEND and READ); what UC and UD lose is counted",
		Perftest: "without DC",
		Meaning:  "transport of the QPs",
		JSON:     "transport", Label: "Connection type", Header: Always,
		value: oneOf(func(s *Settings) *Transport { return &s.Transport }, RC, UC, UD, XRC, SRD),
	}, {
		Name: "use-srq", Group: groupWork, Only: sends, Compare: true,
		Help:     "one shared receive queue in place of those of the QPs; XRC always has one",
		Perftest: same,
		Meaning:  "the QPs had one shared receive queue in place of their own",
		JSON:     "use_srq", Label: "Using SRQ", Header: WhenSet,
		value: toggle(func(s *Settings) *bool { return &s.UseSRQ }),
	}, {
		Name: "tx-depth", Letter: "t", Argument: "N", Group: groupWork,
		Help: "depth of the send queue, as far as there are messages; a latency test has one message on its way all the same", Perftest: "in latency tests the send queue has at least this depth, and rows tell how much of it was used",
		Meaning: "depth of the send queue, in latency tests at least",
		JSON:    "tx_depth", Unit: "messages", Label: "TX depth", Header: Always,
		value: number(func(s *Settings) *int { return &s.TxDepth }, 1, MaxDepth),
	}, {
		Name: "rx-depth", Letter: "r", Argument: "N", Group: groupWork,
		Help:     "receives that a QP has posted, at least",
		Perftest: "512 also where perftest has 1; of UC and UD, as there, by default as many as there are messages, up to 15000 (latency tests and timed runs: 4096); not used where no receive is posted; in bandwidth tests whose receiver looks at each message (--compare, --touch, --verify) as many as the ring holds, and a warning says so",
		Meaning:  "receives that a QP had posted, at least, where messages take any and as far as there are so many",
		JSON:     "rx_depth", Unit: "messages", Label: "RX depth", Header: Always,
		value: number(func(s *Settings) *int { return &s.RxDepth }, 1, MaxDepth),
	}, {
		Name: "cq-mod", Letter: "Q", Argument: "N", Group: groupWork, Only: moderates, Idle: latency,
		Help: "signal one send in every N", Default: "in bandwidth tests 100, and 1 above 8 KiB; in latency tests half a ring",
		Perftest: "1 above 8 KiB with -a too: a size gives one number; latency tests of WRITE and SEND follow it, by default half a ring and not 1; those of READ and atomic operations wait for each completion and take it without effect",
		Meaning:  "one send in so many was signaled, of the first size; in latency tests 0: in half a ring",
		JSON:     "cq_mod", Unit: "messages", Label: "CQ Moderation", Header: Always,
		value: numberOr(func(s *Settings) *int { return &s.CQMod }, 0, 1, MaxCQMod),
	}, {
		Name: "rate_limit", Argument: "RATE", Group: groupWork, Only: Test.Bandwidth,
		Help:     "send no faster than this, all QPs of a side together, in the unit of --rate_units",
		Perftest: "by software alone, whatever the device can do; no faster and no slower: who is late catches up, and a warning says what was reached where that is not possible; latency tests refuse it",
		Meaning:  "limit of what each sender sends, all its QPs together, in the unit of rate_units; 0: none",
		JSON:     "rate_limit", Unit: "that of rate_units", Label: "Rate limit", Header: WhenSet,
		value: positive(func(s *Settings) *float64 { return &s.RateLimit }),
	}, {
		Name: "rate_units", Argument: "UNIT", Group: groupWork, Only: Test.Bandwidth, Idle: latency,
		Help: "unit of --rate_limit: g (Gb/s, 10^9 bits), M (MiB/s, 2^20 bytes) or p (messages/s)", Default: "g", Perftest: "latency tests take it without effect",
		Meaning: "unit of rate_limit: g (10^9 bits/s), M (2^20 bytes/s) or p (messages/s); none is g",
		JSON:    "rate_units", Label: "Rate units", Header: WhenSet,
		value: oneOf(func(s *Settings) *RateUnit { return &s.RateUnits }, RateGbit, RateMiB, RateMessages),
	}, {
		Name: "burst_size", Argument: "N", Group: groupWork, Only: Test.Bandwidth,
		Help: "with --rate_limit: messages that are sent at a time", Default: "those of 1 ms, at most --tx-depth",
		Perftest: "by default those of 1 ms, at most --tx-depth",
		Meaning:  "messages that a sender with a rate limit sends at a time; 0: those of 1 ms at that rate, but 1 at least and tx_depth at most",
		JSON:     "burst_size", Unit: "messages", Label: "Burst size", Header: WhenSet,
		value: numberOr(func(s *Settings) *int { return &s.Burst }, 0, 1, math.MaxInt32),
	}, {
		Name: "post_list", Letter: "l", Argument: "N", Group: groupWork, Only: Test.Bandwidth,
		Help: "messages of one ibv_post_send, of each of which the last is signaled without --cq-mod", Default: "as many as there is room for",
		Perftest: "by default not 1 but as many as there is room for; --iters need be no multiple: the last list is shorter",
		Meaning:  "messages of one ibv_post_send; 0: as many as there was room for",
		JSON:     "post_list", Unit: "messages", Label: "Post List", Header: WhenSet,
		value: numberOr(func(s *Settings) *int { return &s.PostList }, 0, 1, MaxList),
	}, {
		Name: "recv_post_list", Argument: "N", Group: groupWork, Only: Test.Bandwidth,
		Help: "receives of one ibv_post_recv", Default: "half of the receive queue, 32 at most",
		Perftest: "by default not 1; --rx-depth need be no multiple",
		Meaning:  "receives of one ibv_post_recv; 0: half of the receive queue, 32 at most",
		JSON:     "recv_post_list", Unit: "messages", Label: "Recv Post List", Header: WhenSet,
		value: numberOr(func(s *Settings) *int { return &s.RecvPostList }, 0, 1, MaxList),
	}, {
		Name: "bidirectional", Letter: "b", Group: groupWork, Only: Test.Bandwidth,
		Help:     "send in both directions at once: the row is the sum of both",
		Perftest: "the sum is of one window that both sides' clocks are aligned for, not of two",
		Meaning:  "messages went in both directions at once: rows are the sum of both",
		JSON:     "bidirectional", Label: "Bidirectional", Header: WhenSet,
		Excludes: []Exclusion{{Name: "compare", Why: whyOneDirection}},
		value:    toggle(func(s *Settings) *bool { return &s.Both }),
	}, {
		Name: "reversed", Group: groupWork, Only: Test.Bandwidth,
		Help: "the server sends, or READs, and the client is the other side", Perftest: "not beside --bidirectional; latency tests refuse it",
		Meaning: "the server sent, or was the requester of READs",
		JSON:    "reversed", Label: "Reversed", Header: WhenSet,
		Excludes: []Exclusion{{Name: "compare", Why: whyOneDirection}, {Name: "bidirectional", Why: "both sides send as it is"}},
		value:    toggle(func(s *Settings) *bool { return &s.Reversed }),
	}, {
		Name: "mtu", Letter: "m", Argument: "BYTES", Group: groupWork, Compare: true,
		Help: "path MTU: 256, 512, 1024, 2048 or 4096", Default: "the largest of both ports", Perftest: same,
		Meaning: "path MTU",
		JSON:    "mtu_bytes", Unit: "bytes", Label: "Mtu", Suffix: "[B]", Header: Always,
		value: mtu(),
	}, {
		Name: "rdma_cm", Letter: "R", Group: groupWork, Compare: true,
		Help:     "connect the QPs, of RC or UD, through rdma_cm: name the server by the IP address of its RDMA interface",
		Perftest: "the control connection stays TCP",
		Meaning:  "QPs were connected through rdma_cm, by IP address",
		JSON:     "rdma_cm", Label: "rdma_cm QPs", Header: WhenSet,
		value: toggle(func(s *Settings) *bool { return &s.RDMACM }),
	}, {
		Name: "tos", Letter: "T", Argument: "N", Group: groupWork, Compare: true,
		Help: "with --rdma_cm: type of service of the packets, four times the DSCP", Default: "the system's", Perftest: same,
		Meaning: "type of service of the packets that rdma_cm was asked for; -1: none",
		JSON:    "tos", Unit: "1", Label: "TOS", Header: WhenSet,
		value: numberOr(func(s *Settings) *int { return &s.TOS }, -1, 0, math.MaxUint8),
	}, {
		Name: "tclass", Argument: "N", Group: groupWork, Compare: true,
		Help:     "traffic class of the packets' GRH, four times the DSCP on RoCE",
		Perftest: "with --rdma_cm, where perftest leaves it out, RoCE is asked for it as by --tos, which goes first; a warning says where it is another",
		Meaning:  "traffic class of the packets' GRH; with rdma_cm the one that was asked for",
		JSON:     "traffic_class", Unit: "1", Label: "Traffic class", Header: WhenSet,
		value: number(func(s *Settings) *int { return &s.TClass }, 0, math.MaxUint8),
	}, {
		Name: "inline_size", Letter: "I", Argument: "BYTES", Group: groupWork,
		Help: "largest message that is sent inline, which READs and atomic operations never are", Default: "0; in latency tests 220 for WRITE and 236 for SEND, as far as the device allows",
		Perftest: "by default as far as the device takes it, asked and not looked up by its name; over UD 236 too, where perftest has 188",
		Meaning:  "largest message that was sent inline",
		JSON:     "inline_bytes", Unit: "bytes", Label: "Max inline data", Suffix: "[B]", Header: Always,
		value: numberOr(func(s *Settings) *int { return &s.Inline }, -1, 0, MaxInline),
	}, {
		Name: "offset", Argument: "BYTES", Group: groupWork, Compare: true,
		Help:    "begin each message so far behind an aligned 128-byte block",
		Meaning: "where messages begin behind an aligned 128-byte block",
		JSON:    "offset_bytes", Unit: "bytes", Label: "Offset", Suffix: "[B]", Header: WhenSet,
		value: number(func(s *Settings) *int { return &s.Offset }, 0, verbs.BlockSize-1),
	}, {
		Name: "latency_gap", Argument: "TIME", Group: groupWork, Only: latency,
		Help: "pause before each message, in usec or with a unit as 1ms", Perftest: "is no part of the latency",
		Meaning: "pause before each message, which is no part of its latency",
		JSON:    "latency_gap_ns", Unit: "ns", Label: "Latency gap", Suffix: " usec", Header: WhenSet,
		Excludes: []Exclusion{{Name: "noPeak", Why: "a pause is no part of a latency, which takes a clock to leave out"}},
		value:    inNanoseconds(duration(func(s *Settings) *time.Duration { return &s.Gap }, time.Microsecond, 0, MaxGap)),
	}, {
		Name: "noPeak", Letter: "N", Group: groupWork,
		Help:     "read the clock at the beginning and the end only, with --duration also after each 1024 messages or 64 MiB: no peak, no percentiles",
		Perftest: "also in latency tests, whose mean is left then; off for any number of messages",
		Meaning:  "the clock was read at the beginning and the end only",
		JSON:     "no_peak", Label: "No peak", Header: WhenSet,
		value: toggle(func(s *Settings) *bool { return &s.NoPeak }),
	}, {
		Name: "disable_pcie_relaxed", Group: groupWork,
		Help:     "register memory without PCIe relaxed ordering, which bandwidth tests ask for otherwise in modes poll and event; latency tests, mode data and comparisons never do",
		Perftest: "no latency test asks for relaxed ordering, with or without it",
		Meaning:  "no memory was registered with PCIe relaxed ordering",
		JSON:     "disable_pcie_relaxed", Label: "No relaxed order", Header: WhenSet,
		value: toggle(func(s *Settings) *bool { return &s.StrictPCIe }),
	},
}

const whyOneDirection = "a comparison is of one direction, from the client to the server"

func latency(t Test) bool { return !t.Bandwidth() }

// moderates tells the tests whose sends need not be signaled each: a latency test of READ
// or of atomic operations waits for each completion.
func moderates(t Test) bool { return t.Bandwidth() || !t.Fetches() }

// sized tells tests whose messages may have any size.
func sized(t Test) bool { return !t.Atomic() }

// allSizes is --all: the value of --size that is all of them.
type allSizes struct{ value }

func (allSizes) set(s *Settings, argument string) error {
	if argument != "true" {
		return errors.New("leave it out for --size")
	}
	s.Sizes = AllSizes()
	return nil
}

func (allSizes) text(s *Settings) string {
	return strconv.FormatBool(slices.Equal(s.Sizes, AllSizes()))
}

func mtu() value {
	v := numberOr(func(s *Settings) *int { return &s.MTU }, 0, 256, 4096).(of[int])
	v.parse = func(text string) (int, error) {
		n, err := strconv.Atoi(text)
		if err != nil {
			return -1, nil // is not legal
		}
		return n, nil
	}
	v.legal = func(n int) error {
		for m := verbs.MTU256; m <= verbs.MTU4096; m++ {
			if n == m.Bytes() {
				return nil
			}
		}
		return errors.New("choose 256, 512, 1024, 2048 or 4096")
	}
	return v
}

// inSeconds makes the JSON form of a time one in seconds.
func inSeconds(v value) value { return scaled(v, time.Second) }

// inNanoseconds makes the JSON form of a time one in nanoseconds.
func inNanoseconds(v value) value { return scaled(v, 1) }

func scaled(v value, unit time.Duration) value {
	d := v.(of[time.Duration])
	d.json = func(t time.Duration) any { return float64(t) / float64(unit) }
	d.back = func(data []byte) (time.Duration, error) {
		n, err := strconv.ParseFloat(string(data), 64)
		if err != nil {
			return 0, fmt.Errorf("%.20q is no number", data)
		}
		return parseTime(strconv.FormatFloat(n, 'g', -1, 64), unit)
	}
	return d
}
