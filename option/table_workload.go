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
		Name: "size", Letter: "s", Argument: "BYTES", Group: groupWorkload, Compare: true,
		Help:     "message size in bytes, KiB (64K), MiB (1M) or GiB (1G); commas between several",
		Perftest: "also G, and a list; letters other than these are refused, while perftest takes 64k for 64 bytes; atomic operations have 8 bytes only, as in perftest",
		Meaning:  "message sizes",
		JSON:     "sizes_bytes", Unit: "bytes", Label: "Sizes", Suffix: " bytes", Free: true,
		value: valueOf[[]int]{
			at: func(s *Settings) *[]int { return &s.Sizes }, parse: parseSizes, show: joined, legal: legalSizes,
		},
	}, {
		Name: "all", Letter: "a", Group: groupWorkload, Compare: true, As: "size", Overrides: true, Only: sized,
		Excludes: []Exclusion{{Name: "run_infinitely", Why: "an infinite run has one size", Overridden: true}},
		Help:     "all sizes: powers of two from 2 bytes to 8 MiB", Perftest: "works with -D too; it overrides --size, as in perftest",
		value: allSizes{},
	}, {
		Name: "iters", Letter: "n", Argument: "N", Group: groupLength,
		Help: "number of messages for each size, mode and QP; in latency tests of each thread", Perftest: "--duration overrides it, as in perftest; a conflict with --duration of the other side is refused",
		Meaning: "number of messages for each size, mode and QP, in latency tests of each thread; 0 in a timed run",
		JSON:    "iterations", Unit: "messages", Label: "Messages", Suffix: " for each size, mode and QP", Free: true,
		Excludes: []Exclusion{
			{Name: "duration", Why: "a run is either counted or timed", Overridden: true},
			{Name: "run_infinitely", Why: "an infinite run has no number of messages", Overridden: true},
		},
		value: numberOr(func(s *Settings) *uint64 { return &s.Iterations }, 0, MinIterations, MaxIterations),
	}, {
		Name: "duration", Letter: "D", Argument: "TIME", Group: groupLength, Compare: true,
		Help:     "measure each size and mode for TIME instead of a number of messages, in seconds or with a unit such as 500ms",
		Default:  "0.4 with --compare, else --iters counts",
		Perftest: "without --margin the measured time is TIME, not half of it; works with -a and -e",
		Meaning:  "time of each row; 0 in a counted run",
		JSON:     "duration_s", Unit: "s", Label: "Duration", Suffix: " s for each size and mode", Free: true,
		value: inSeconds(duration(func(s *Settings) *time.Duration { return &s.Duration }, time.Second, time.Millisecond, MaxTime)),
	}, {
		Name: "run_infinitely", Group: groupLength,
		Help:     "run until a signal; print a line for each interval of --duration (5 s without it), and a summary at the end",
		Perftest: "in latency tests too; with a summary; on both sides, either of which a signal ends, with status 0; it overrides --iters and --all, as in perftest",
		Meaning:  "the run went on until a signal ended it, in intervals of duration_s",
		JSON:     "run_infinitely", Label: "Run infinitely", Header: WhenSet, Free: true,
		Excludes: []Exclusion{
			{Name: "compare", Why: "a comparison ends by itself"}, {Name: "rounds", Why: "the intervals are its rounds"}, {Name: "runs", Why: "the first run does not end"},
		},
		value: toggle(func(s *Settings) *bool { return &s.Endless }),
	}, {
		Name: "qp", Letter: "q", Argument: "N", Group: groupQueues,
		Help:     "number of QPs; latency tests of WRITE and SEND rotate the messages of a thread over its QPs, and the receiver polls each of them; latency tests of READ and atomic operations have one QP for each thread",
		HelpOf:   qpHelp,
		Perftest: "latency tests of WRITE and SEND accept several",
		Meaning:  "number of QPs",
		JSON:     "qps", Unit: "QPs", Label: "Number of qps", Header: Always,
		value: number(func(s *Settings) *int { return &s.QPs }, 1, MaxQPs),
	}, {
		Name: "threads", Argument: "N", Group: groupQueues, Compare: true,
		Help:    "measuring threads of each side, each with CQs of its own and its share of the QPs, of which there are at least N; each is pinned to a CPU near the device if there are N CPUs. In latency tests each thread has a message in flight",
		Meaning: "number of measuring threads of each side, each with CQs of its own and its share of the QPs",
		JSON:    "threads", Unit: "threads", Label: "Threads", Header: WhenSet,
		value: number(func(s *Settings) *int { return &s.Threads }, 1, MaxThreads),
	}, {
		Name: "connection", Letter: "c", Argument: "TYPE", Group: groupTransport, Compare: true,
		Help:     "transport of the QPs: RC, UC (WRITE and SEND), UD (SEND), XRC or, on EFA, SRD (WRITE, SEND and READ); messages that UC and UD lose are counted, except plain WRITEs",
		HelpOf:   connectionHelp,
		Perftest: "without DC",
		Meaning:  "transport of the QPs",
		JSON:     "transport", Label: "Connection type", Header: Always,
		value: oneOf(func(s *Settings) *Transport { return &s.Transport }, RC, UC, UD, XRC, SRD),
	}, {
		Name: "use-srq", Group: groupTransport, Only: sends, Compare: true,
		Help:     "use one shared receive queue instead of one for each QP; XRC always does",
		Perftest: same,
		Meaning:  "the QPs had one shared receive queue instead of one each",
		JSON:     "use_srq", Label: "Using SRQ", Header: WhenSet,
		value: toggle(func(s *Settings) *bool { return &s.UseSRQ }),
	}, {
		Name: "tx-depth", Letter: "t", Argument: "N", Group: groupQueues,
		Help: "send queue depth, at most the number of messages; latency tests keep one message in flight, or with --rate_limit up to this number, 128 in place of 1", HelpOf: txDepthHelp, Perftest: "in latency tests the send queue has at least this depth, and rows report how much of it was used",
		Meaning: "send queue depth; in latency tests the least depth",
		JSON:    "tx_depth", Unit: "messages", Label: "TX depth", Header: Always,
		value: number(func(s *Settings) *int { return &s.TxDepth }, 1, MaxDepth),
	}, {
		Name: "rx-depth", Letter: "r", Argument: "N", Group: groupQueues,
		Help:     "minimum number of receives that each QP keeps posted",
		Perftest: "512 also where perftest has 1; for UC and UD, as in perftest, by default the number of messages, up to 15000 (latency tests and timed runs: 4096); not used where no receive is posted; in bandwidth tests whose receiver accesses each message (--compare, --touch, --verify) the number of slots in the ring, with a warning",
		Meaning:  "minimum number of receives that each QP kept posted, where messages consume receives, and at most the number of messages",
		JSON:     "rx_depth", Unit: "messages", Label: "RX depth", Header: Always,
		value: number(func(s *Settings) *int { return &s.RxDepth }, 1, MaxDepth),
	}, {
		Name: "cq-mod", Letter: "Q", Argument: "N", Group: groupQueues, Only: moderates, Idle: latency,
		Help: "signal one send in every N", DefaultOf: cqModDefault,
		Perftest: "above 8 KiB it is 1 with -a too, so that a size always gives the same result; latency tests of WRITE and SEND follow it, by default half the ring and not 1; latency tests of READ and atomic operations wait for each completion and accept it without effect",
		Meaning:  "one send in this many was signaled, at the first size; in latency tests 0: one in half the ring",
		JSON:     "cq_mod", Unit: "messages", Label: "CQ Moderation", Header: Always,
		value: numberOr(func(s *Settings) *int { return &s.CQMod }, 0, 1, MaxCQMod),
	}, {
		Name: "rate_limit", Argument: "RATE", Group: groupLength,
		Help:     "maximum send rate of a side, all QPs, threads and devices together, in the unit of --rate_units; a latency test (RC, XRC) sends at this rate, whether or not earlier messages were answered, up to --tx-depth of them, 128 by default",
		Perftest: "in software on all devices; a late sender catches up, so that the rate is reached exactly, and a warning reports a lower rate; latency tests measure the latency at that rate, where perftest has no effect or refuses it",
		Meaning:  "maximum send rate of each sender, all its QPs together, in the unit of rate_units; of a latency test the rate at which messages are due; 0: none",
		JSON:     "rate_limit", Unit: "that of rate_units", Label: "Rate limit", Header: WhenSet,
		Excludes: []Exclusion{{Name: "latency_gap", Why: "the rate decides when messages are sent"},
			{Name: "noPeak", Why: "the rate is kept by reading the clock"}},
		value: positive(func(s *Settings) *float64 { return &s.RateLimit }),
	}, {
		Name: "rate_units", Argument: "UNIT", Group: groupLength,
		Help: "unit of --rate_limit: g (Gb/s, 10^9 bits), M (MiB/s, 2^20 bytes) or p (messages/s)", Default: "g", Perftest: same,
		Meaning: "unit of rate_limit: g (10^9 bits/s), M (2^20 bytes/s) or p (messages/s); none is g",
		JSON:    "rate_units", Label: "Rate units", Header: WhenSet,
		value: oneOf(func(s *Settings) *RateUnit { return &s.RateUnits }, RateGbit, RateMiB, RateMessages),
	}, {
		Name: "arrivals", Argument: "HOW", Group: groupLength, Only: latency,
		Help:    "with --rate_limit: the times at which messages are due have equal distances (constant) or exponentially distributed ones (poisson)",
		Default: "constant",
		Meaning: "distances of the times at which messages were due, with rate_limit: constant, or exponentially distributed (poisson)",
		JSON:    "arrivals", Label: "Arrivals", Header: WhenSet,
		value: oneOf(func(s *Settings) *Arrivals { return &s.Arrivals }, ArrivalsConstant, ArrivalsPoisson),
	}, {
		Name: "burst_size", Argument: "N", Group: groupLength, Only: Test.Bandwidth,
		Help: "with --rate_limit: number of messages in a burst", Default: "as many as RATE sends in 1 ms, at most --tx-depth",
		Perftest: "by default as many as RATE sends in 1 ms, at most --tx-depth",
		Meaning:  "number of messages in a burst of a sender with a rate limit; 0: the messages of 1 ms at that rate, from 1 to tx_depth",
		JSON:     "burst_size", Unit: "messages", Label: "Burst size", Header: WhenSet,
		value: numberOr(func(s *Settings) *int { return &s.Burst }, 0, 1, math.MaxInt32),
	}, {
		Name: "post_list", Letter: "l", Argument: "N", Group: groupQueues, Only: Test.Bandwidth,
		Help: "work requests per ibv_post_send, 0: as many as the send queue has room for; without --cq-mod the last of each list is signaled", Default: "1; with --compare 0",
		Perftest: "0 is as many as the send queue has room for, and the default of comparisons; --iters may be any number: the last list is shorter",
		Meaning:  "work requests per ibv_post_send; 0: as many as the send queue had room for",
		JSON:     "post_list", Unit: "messages", Label: "Post List", Header: WhenSet, Unshown: "0",
		value: numberOr(func(s *Settings) *int { return &s.PostList }, -1, 0, MaxList),
	}, {
		Name: "recv_post_list", Argument: "N", Group: groupQueues, Only: Test.Bandwidth,
		Help: "receives per ibv_post_recv", Default: "half of the receive queue, at most 32",
		Perftest: "by default not 1; --rx-depth may be any number",
		Meaning:  "receives per ibv_post_recv; 0: half of the receive queue, at most 32",
		JSON:     "recv_post_list", Unit: "messages", Label: "Recv Post List", Header: WhenSet,
		value: numberOr(func(s *Settings) *int { return &s.RecvPostList }, 0, 1, MaxList),
	}, {
		Name: "bidirectional", Letter: "b", Group: groupWorkload, Only: Test.Bandwidth,
		Help:     "send in both directions at once; a row is the sum of both",
		Perftest: "the sum is of one time window, for which both sides' clocks are aligned, and not of two",
		Meaning:  "messages were sent in both directions at once; rows are the sum of both",
		JSON:     "bidirectional", Label: "Bidirectional", Header: WhenSet,
		Excludes: []Exclusion{{Name: "compare", Why: whyOneDirection}},
		value:    toggle(func(s *Settings) *bool { return &s.Both }),
	}, {
		Name: "reversed", Group: groupWorkload, Only: Test.Bandwidth,
		Help: "the server sends, or posts READs or atomic operations, instead of the client", HelpOf: reversedHelp, Perftest: "not with --bidirectional; latency tests refuse it",
		Meaning: "the server sent, or posted READs, instead of the client",
		JSON:    "reversed", Label: "Reversed", Header: WhenSet,
		Excludes: []Exclusion{{Name: "compare", Why: whyOneDirection}, {Name: "bidirectional", Why: "both sides send already"}},
		value:    toggle(func(s *Settings) *bool { return &s.Reversed }),
	}, {
		Name: "mtu", Letter: "m", Argument: "BYTES", Group: groupPath, Compare: true,
		Help: "path MTU: 256, 512, 1024, 2048 or 4096", Default: "the largest that both ports allow", Perftest: same,
		Meaning: "path MTU",
		JSON:    "mtu_bytes", Unit: "bytes", Label: "Mtu", Suffix: "[B]", Header: Always,
		value: mtu(),
	}, {
		Name: "rdma_cm", Letter: "R", Group: groupTransport, Compare: true,
		Help:     "connect the QPs with rdma_cm, RC or UD; HOST is the IP address of the server's RDMA interface",
		Perftest: "the control connection is TCP",
		Meaning:  "QPs were connected with rdma_cm, by IP address",
		JSON:     "rdma_cm", Label: "rdma_cm QPs", Header: WhenSet,
		value: toggle(func(s *Settings) *bool { return &s.RDMACM }),
	}, {
		Name: "tos", Letter: "T", Argument: "N", Group: groupPath, Compare: true,
		Help: "with --rdma_cm: type of service of the packets, four times the DSCP", Default: "the system's", Perftest: same,
		Meaning: "type of service that rdma_cm was asked for; -1: none",
		JSON:    "tos", Unit: "1", Label: "TOS", Header: WhenSet,
		value: numberOr(func(s *Settings) *int { return &s.TOS }, -1, 0, math.MaxUint8),
	}, {
		Name: "tclass", Argument: "N", Group: groupPath, Compare: true,
		Help:     "traffic class in the GRH; on RoCE four times the DSCP",
		Perftest: "with --rdma_cm, where perftest ignores it, it is requested on RoCE like --tos, which overrides it; a warning reports a different one",
		Meaning:  "traffic class in the GRH; with rdma_cm the requested one",
		JSON:     "traffic_class", Unit: "1", Label: "Traffic class", Header: WhenSet,
		value: number(func(s *Settings) *int { return &s.TClass }, 0, math.MaxUint8),
	}, {
		Name: "inline_size", Letter: "I", Argument: "BYTES", Group: groupQueues,
		Help: "largest message that is sent inline; READs and atomic operations never are", HelpOf: inlineHelp, DefaultOf: inlineDefault,
		Perftest: "the default is limited by asking the device, not by a list of names",
		Meaning:  "largest message that was sent inline",
		JSON:     "inline_bytes", Unit: "bytes", Label: "Max inline data", Suffix: "[B]", Header: Always,
		value: numberOr(func(s *Settings) *int { return &s.Inline }, -1, 0, MaxInline),
	}, {
		Name: "offset", Argument: "N", Group: groupMemory, Compare: true,
		Help:    "start each message N bytes past a 128-byte boundary",
		Meaning: "number of bytes past a 128-byte boundary at which messages started",
		JSON:    "offset_bytes", Unit: "bytes", Label: "Offset", Suffix: "[B]", Header: WhenSet,
		value: number(func(s *Settings) *int { return &s.Offset }, 0, verbs.BlockSize-1),
	}, {
		Name: "latency_gap", Argument: "TIME", Group: groupLength, Only: latency,
		Help: "pause before each message, in usec or with a unit such as 1ms; it is not part of the latency", Perftest: "is not part of the latency",
		Meaning: "pause before each message, which is not part of the latency",
		JSON:    "latency_gap_ns", Unit: "ns", Label: "Latency gap", Suffix: " usec", Header: WhenSet,
		Excludes: []Exclusion{{Name: "noPeak", Why: "a pause is not part of the latency, and only clock readings can leave it out"}},
		value:    inNanoseconds(duration(func(s *Settings) *time.Duration { return &s.Gap }, time.Microsecond, 0, MaxGap)),
	}, {
		Name: "noPeak", Letter: "N", Group: groupLength,
		Help:     "read the clock only at start and end, and with --duration after each 1024 messages or 64 MiB; latency tests then report only the mean, bandwidth tests only the average",
		HelpOf:   noPeakHelp,
		Perftest: "also in latency tests, which report the mean only; off for any number of messages",
		Meaning:  "the clock was read only at start and end",
		JSON:     "no_peak", Label: "No peak", Header: WhenSet,
		value: toggle(func(s *Settings) *bool { return &s.NoPeak }),
	}, {
		Name: "disable_pcie_relaxed", Group: groupMemory,
		Help:     "register memory without PCIe relaxed ordering, which bandwidth tests otherwise request in modes poll, adaptive and event; latency tests, mode data and comparisons never request it",
		HelpOf:   relaxedHelp,
		Perftest: "latency tests never request relaxed ordering",
		Meaning:  "no memory was registered with PCIe relaxed ordering",
		JSON:     "disable_pcie_relaxed", Label: "No relaxed order", Header: WhenSet,
		value: toggle(func(s *Settings) *bool { return &s.DisablePCIeRelaxed }),
	},
}

const whyOneDirection = "a comparison has one direction, from the client to the server"

func latency(t Test) bool { return !t.Bandwidth() }

// moderates reports whether a test may leave sends unsignaled. Latency tests of READ and atomic
// operations wait for each completion.
func moderates(t Test) bool { return t.Bandwidth() || !t.Fetches() }

// sized reports whether messages of a test may have any size.
func sized(t Test) bool { return !t.Atomic() }

// allSizes is the value of --all, which sets --size to all sizes.
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
	v := numberOr(func(s *Settings) *int { return &s.MTU }, 0, 256, 4096).(valueOf[int])
	v.parse = func(text string) (int, error) {
		n, err := parseC(text)
		if err != nil {
			return -1, nil // which legal refuses
		}
		return int(n), nil
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

// inSeconds returns a time value whose JSON form is in seconds.
func inSeconds(v value) value { return scaled(v, time.Second) }

// inNanoseconds returns a time value whose JSON form is in nanoseconds.
func inNanoseconds(v value) value { return scaled(v, 1) }

func scaled(v value, unit time.Duration) value {
	d := v.(valueOf[time.Duration])
	d.json = func(t time.Duration) any { return float64(t) / float64(unit) }
	d.back = func(data []byte) (time.Duration, error) {
		n, err := strconv.ParseFloat(string(data), 64)
		if err != nil {
			return 0, fmt.Errorf("%.20q is not a number", data)
		}
		return parseTime(strconv.FormatFloat(n, 'g', -1, 64), unit)
	}
	return d
}

func cqModDefault(t Test) string {
	if t.Bandwidth() {
		return "100; above 8 KiB 1"
	}
	return "half of the ring's slots, at most 25"
}

func inlineDefault(t Test) string {
	switch {
	case t.Bandwidth() || t.Fetches():
		return "0"
	case t.Op == OpWrite:
		return "220, or the device's limit"
	}
	return "236, over UD 188, or the device's limit"
}
