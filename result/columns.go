package result

import (
	"slices"
	"strconv"
	"strings"

	"github.com/ibperf/ibperf/option"
)

// columns lists every number and word of a row. Tables, comparisons and definitions are made from
// this list.
var columns = slices.Concat(rowColumns, latencyColumns, loadColumns(), bandwidthColumns, directionColumns, costColumns, deliveryColumns, verifyColumns, roundColumns)

var rowColumns = []Column{
	{Field: "size_bytes", Unit: "bytes", Definition: "payload of one message",
		Head: "size", shown: "B", print: asSize, Value: func(r *Row) float64 { return float64(r.Size) }},
	{Field: "mode", Definition: "how arrival is detected: data spins on the data itself, poll spins on the completion queue, counter spins on a completion counter of the device, which counts the peer's WRITEs, adaptive spins on it for a while and then sleeps, event sleeps until a completion event"},
	{Field: "variant", Definition: "relaxed: memory is registered for relaxed ordering; ooo: QPs have out-of-order placement; look: data mode that also polls the completion queue at intervals; control: a second, identical copy of the mode on QPs of its own, whose ratio to it should be 1; same-cpu: the measuring threads of both sides on one CPU"},
	{Field: "forced", Definition: "data mode although the device does not promise the order that it needs: the numbers may include data that had not arrived"},
	{Field: "opcode", Definition: "opcode of the requests that carry messages; two, with + between them, if each message is two requests",
		Head: "opcode", words: func(r *Row) string { return r.Opcode }},
	{Field: "touch", Definition: "what the receiver does with every cache line of a message after it has detected the message: none, read or write; a latency sample includes this",
		Head: "touch", words: func(r *Row) string { return string(r.Touch) }},
	{Field: "slots", Unit: "messages", Definition: "number of messages that the receive ring holds",
		Head: "slots", empty: true, print: asCount, Value: func(r *Row) float64 { return float64(r.Slots) }},
	{Field: "span", Unit: "messages", Definition: "number of slots of the ring at which messages arrive",
		Head: "span", empty: true, print: asCount, Value: func(r *Row) float64 { return float64(r.Span) }},
	{Field: "depth", Unit: "messages", Definition: "maximum number of requests of a QP that are posted and whose completions have not been polled; a latency test has one message outstanding regardless",
		Head: "depth", empty: true, print: asCount, Value: func(r *Row) float64 { return float64(r.Depth) }},
	{Field: "cq_mod", Unit: "messages", Definition: "one in every N requests is signaled",
		Head: "cq_mod", empty: true, print: asCount, Value: func(r *Row) float64 { return float64(r.CQMod) }},
	{Field: "out_of_order", Definition: "QPs were created with out-of-order placement (MLX5DV_QP_CREATE_OOO_DP), for which the device promises no data order; never in data mode",
		Head: "out-of-order QPs", words: func(r *Row) string { return yesNo(r.Reorder) }},
	{Field: "relaxed_ordering", Definition: "the memory of messages was registered with a request for PCIe relaxed ordering; never in data mode",
		Head: "relaxed ordering", words: func(r *Row) string { return yesNo(r.Relaxed) }},
	{Field: "warmup_s", Unit: "s", Definition: "time of the warm-up before the measured messages",
		Head: "warm-up", shown: "s", empty: true, print: asSeconds, Value: func(r *Row) float64 { return r.WarmupS }},
	{Field: "no_ratio", Definition: "why the row is not compared with others"},
	{Field: "devices", Definition: "what each of several devices measured at the same time, in the order of local.device and local.more_devices, with the definitions of the row's members; the row itself is of all of them together"},
}

// AnswersColumn is the field of the rate of answers, the only rate of a latency test.
const AnswersColumn = "latency.iterations_per_s"

var latencyColumns = []Column{
	{Field: "latency", Kind: option.KindLatency, Definition: halfTripDefinition, Unit: "ns; printed as usec"},
	{Field: "latency.n", Kind: option.KindLatency, Unit: "samples", Definition: "number of samples; none is dropped",
		Head: "n", shown: "count", print: asCount, Value: inLatency(func(l *Latency) float64 { return float64(l.N) })},
	percentile("min_ns", "min", "the smallest sample", func(l *Latency) float64 { return l.MinNs }),
	{Field: "latency.mean_ns", Kind: option.KindLatency, Unit: "ns", Definition: "the arithmetic mean of all n samples",
		Title: "Mean latency", Head: "mean", shown: "usec", print: asUsec,
		Value: inLatency(func(l *Latency) float64 { return l.MeanNs }), Round: func(r *Round) float64 { return r.MeanNs }},
	percentile("stdev_ns", "stdev", "the population standard deviation of all n samples", func(l *Latency) float64 { return l.StdevNs }),
	median(titled("Median latency", percentile("p50_ns", "p50", "the median"+fromHistogram, func(l *Latency) float64 { return l.P50Ns }))),
	spread(100, func(r *Round) float64 { return r.P90Ns },
		percentile("p90_ns", "p90", "90 of 100 samples are not longer"+fromHistogram, func(l *Latency) float64 { return l.P90Ns })),
	spread(1000, func(r *Round) float64 { return r.P99Ns }, titled("99th percentile of latency",
		percentile("p99_ns", "p99", "99 of 100 samples are not longer"+fromHistogram, func(l *Latency) float64 { return l.P99Ns }))),
	percentile("p99_9_ns", "p99.9", "999 of 1000 samples are not longer"+fromHistogram, func(l *Latency) float64 { return l.P999Ns }),
	percentile("p99_99_ns", "p99.99", "9999 of 10000 samples are not longer"+fromHistogram, func(l *Latency) float64 { return l.P9999Ns }),
	percentile("max_ns", "max", "the largest sample", func(l *Latency) float64 { return l.MaxNs }),
	{Field: AnswersColumn, Title: "Answers per second", Kind: option.KindLatency, Unit: "1/s", Definition: "n / the time of the rounds including pauses: round trips, READs or atomic operations per second; \"tps average\" in the text",
		Head: "answered", shown: "1/s", empty: true, print: asPerSecond, Value: inLatency(func(l *Latency) float64 { return l.Rate }), Round: func(r *Round) float64 { return float64(r.Messages) / r.Seconds }},
	{Field: "latency.factor", Kind: option.KindLatency, Unit: "1", Definition: halfFactorDefinition,
		Value: inLatency(func(l *Latency) float64 { return l.Factor })},
	{Field: "latency.mean_only", Kind: option.KindLatency, Definition: "the clock was read only before the first message and after the last, or load.growing is set, so n and the mean are the only statistics"},
	{Field: "samples_ns", Kind: option.KindLatency, Unit: "ns", Definition: "the samples in order of time; fewer than n means that only the first were kept; present if they were asked for, on the side whose clock was used"},
	{Field: "latency.histogram", Kind: option.KindLatency, Unit: "ns before multiplication by the factor", Definition: "all samples as recorded, in nanoseconds before multiplication by the factor: HdrHistogram V2 compressed, base64"},
}

const fromHistogram = ", from an HDR histogram with 3 significant digits"

// percentile returns a column that is empty in runs without individual samples.
func percentile(name, head, definition string, value func(*Latency) float64) Column {
	return Column{Field: "latency." + name, Kind: option.KindLatency, Unit: "ns", Definition: definition,
		Head: head, shown: "usec", empty: true, print: asUsec, Value: inLatency(value)}
}

// titled adds the title of the tables that show only this column.
func titled(title string, c Column) Column {
	c.Title = title
	return c
}

// median adds the value of a round.
func median(c Column) Column {
	c.Round = func(r *Round) float64 { return r.P50Ns }
	return c
}

// spread adds the value of a round with at least N messages, the first argument.
func spread(least uint64, value func(*Round) float64, c Column) Column {
	c.Spread = func(r *Round) float64 {
		if r.Messages < least {
			return 0
		}
		return value(r)
	}
	return c
}

var bandwidthColumns = []Column{
	{Field: "bandwidth.measured_at", Kind: option.KindBandwidth, Definition: "the side whose clock was read: sender, receiver, or requester of READs and atomic operations",
		Head: "measured at", words: measuredAt},
	{Field: "bandwidth.messages", Kind: option.KindBandwidth, Unit: "messages", Definition: "messages that the average counts, of all QPs; in a bidirectional test those of both directions, while #iterations in the text counts one side's",
		Head: "messages", shown: "count", print: asCount, Value: inBandwidth(func(b *Bandwidth) float64 { return float64(b.Messages) })},
	{Field: "bandwidth.bytes", Kind: option.KindBandwidth, Unit: "bytes", Definition: "payload bytes that the average counts",
		Value: inBandwidth(func(b *Bandwidth) float64 { return float64(b.Bytes) })},
	{Field: "bandwidth.seconds", Kind: option.KindBandwidth, Unit: "s", Definition: "time that the average covers; in a bidirectional test, each round counts from the first start to the last end of the two directions",
		Head: "time", shown: "s", print: asSeconds, Value: inBandwidth(func(b *Bandwidth) float64 { return b.Seconds })},
	{Field: "bandwidth.average_bytes_per_s", Kind: option.KindBandwidth, Unit: rateDefinedUnit, Definition: rateDefinition,
		Title: "Average bandwidth", Head: "average", shown: rateUnit, print: asRate,
		Value: inBandwidth(func(b *Bandwidth) float64 { return b.Average }), Round: func(r *Round) float64 { return r.Average }},
	window("slowest_bytes_per_s", "slowest", "rate of the slowest window, or the average if that is lower; in a bidirectional test the sum of the two directions' values, which need not be from the same moment", func(b *Bandwidth) float64 { return b.Slowest }),
	window("median_window_bytes_per_s", "median", "median rate of the windows, from an HDR histogram with 3 significant digits, or the mean of its runs' medians if ib_compare has made several; in a bidirectional test the sum of the two directions' medians", func(b *Bandwidth) float64 { return b.MedianWindow }),
	window("peak_bytes_per_s", "peak", "rate of the fastest window, or the average if that is higher; in a bidirectional test the sum of the two directions' peaks, which need not be from the same moment", func(b *Bandwidth) float64 { return b.Peak }),
	{Field: "bandwidth.window_s", Kind: option.KindBandwidth, Unit: "s", Definition: "length of the windows, which follow each other from the start; bytes that were counted between two clock readings are spread evenly over the time between them, and the last, incomplete window does not count; in a bidirectional test each direction has its own windows",
		Head: "windows", shown: "ms", empty: true, print: asMillis, Value: inBandwidth(func(b *Bandwidth) float64 { return b.WindowS })},
	{Field: "bandwidth.messages_per_s", Kind: option.KindBandwidth, Unit: "messages/s; printed as million messages/s, in perftest's columns Mpps", Definition: "messages per second, over the same time as the average",
		Head: "rate", shown: "million messages/s", print: asMpps, Value: inBandwidth(func(b *Bandwidth) float64 { return b.MsgRate })},
	{Field: "bandwidth.aligned_within_s", Kind: option.KindBandwidth, Unit: "s", Definition: "in a bidirectional test, the possible error of the alignment of the two sides' clocks, and so of the time of a round: half of the fastest exchange of timestamps",
		Head: "clocks aligned to", shown: "ms", empty: true, print: asMillis, Value: inBandwidth(func(b *Bandwidth) float64 { return b.AlignedWithin })},
}

func measuredAt(r *Row) string {
	if r.Bandwidth == nil {
		return ""
	}
	return r.Bandwidth.MeasuredAt
}

// window returns a column about the windows that the time of a row is divided into.
func window(name, head, definition string, value func(*Bandwidth) float64) Column {
	return Column{Field: "bandwidth." + name, Kind: option.KindBandwidth, Unit: rateDefinedUnit,
		Definition: definition + ", measured on the same side as the average; absent if a round had no complete window, or if the clock was read only at start and end",
		Head:       head, shown: rateUnit, empty: true, print: asRate, Value: inBandwidth(value)}
}

var distanceColumn = Column{Field: "cpu_distances", Head: "distance", words: func(r *Row) string { return strings.Join(r.Distances, ", ") },
	Definition: "distances of the CPUs that the measuring threads of both sides were on at the end of a round, each once: same CPU, same core, same L2, same L3 (a cache), same package, other package; absent if the sides are on different hosts or have several threads"}

var costColumns = slices.Concat(
	costOf("local", "", func(r *Row) *Cost { return &r.Local }),
	costOf("peer", "peer ", func(r *Row) *Cost { return &r.Peer }),
	[]Column{distanceColumn},
)

// costOf returns the columns of a side.
func costOf(side, prefix string, cost func(*Row) *Cost) []Column {
	return []Column{
		{Field: side + ".busy", Unit: "1; printed as %", Definition: "fraction of the measured time that the measuring thread was on a CPU",
			Head: prefix + "busy", shown: "%", empty: true, print: asPercent, Value: func(r *Row) float64 { return cost(r).Busy }},
		{Field: side + ".sleeps_per_message", Unit: "1", Definition: "number of times that a completion event woke the measuring thread, divided by the messages",
			Head: prefix + "sleeps", shown: "/msg", words: func(r *Row) string { return wakeUps(cost(r)) }, Value: func(r *Row) float64 { return cost(r).SleepsPerMessage }},
		{Field: side + ".cpu_ns_per_message", Unit: "ns", Definition: "CPU time of the measuring thread, user and system, divided by the messages; kernel threads that do work for it are not included",
			Head: prefix + "CPU", shown: "ns/msg", empty: true, print: asNs, Value: func(r *Row) float64 { return cost(r).CPUNs }},
		{Field: side + ".sleeps", Unit: "count", Definition: "number of times that the measuring thread slept to wait for a completion event",
			Head: prefix + "slept", shown: "count", print: asCount, Value: func(r *Row) float64 { return float64(cost(r).Sleeps) }},
		{Field: side + ".preempted", Unit: "count", Definition: "number of times that the kernel gave the CPU of the measuring thread to another thread: involuntary context switches, and yields to another thread after 20 us of unsuccessful polling",
			Value: func(r *Row) float64 { return float64(cost(r).Preempted) }},
		{Field: side + ".preempted_per_s", Unit: "1/s", Definition: "involuntary context switches of the measuring thread per second of measured time",
			Head: prefix + "preempted", shown: "/s", words: func(r *Row) string { return interruptions(cost(r)) }, Value: func(r *Row) float64 { return cost(r).PreemptedPerS }},
		{Field: side + ".cpu_util", Unit: "1; printed as %", Definition: "fraction of the time of all CPUs of the host that was not idle in the measured rounds, for all processes; absent if it was not asked for"},
		{Field: side + ".counters", Unit: "as the counter's name says", Definition: "increase of the port's counters in the measured rounds, for all traffic; absent if none were asked for"},
		{Field: side + ".cpus", Unit: "number of a CPU", Definition: "the CPUs that the measuring thread ran on, read at the end of each round",
			Head: prefix + "on CPU", words: func(r *Row) string { return numbers(cost(r).CPUs) }},
		{Field: side + ".numa_nodes", Unit: "number of a NUMA node", Definition: "the NUMA nodes of the CPUs that the measuring threads ran on, read at the end of each round; absent if unknown"},
	}
}

// interruptions returns an empty text for files without the number.
func interruptions(c *Cost) string {
	switch {
	case c.Busy == 0 || c.PreemptedPerS == 0 && c.Preempted > 0:
		return ""
	case c.Preempted == 0:
		return "0"
	}
	return strconv.FormatFloat(c.PreemptedPerS, 'f', 0, 64)
}

func numbers(all []int) string {
	var texts []string
	for _, n := range all {
		texts = append(texts, strconv.Itoa(n))
	}
	return strings.Join(texts, ", ")
}

// wakeUps returns an empty text for files of version 1, which do not have the number.
func wakeUps(c *Cost) string {
	if c.Busy == 0 {
		return ""
	}
	return share(c.SleepsPerMessage)
}

var deliveryColumns = []Column{
	{Field: "delivery.sent", Unit: "messages", Definition: "messages that both sides sent over a transport that may lose messages, without warm-ups",
		Head: "sent", shown: "messages", empty: true, print: asCount, Value: inDelivery(func(d *Delivery) float64 { return float64(d.Sent) })},
	{Field: "delivery.lost", Unit: "messages", Definition: "messages that were sent and not received before arrivals stopped",
		Head: "lost", shown: "messages", words: lost, Value: inDelivery(func(d *Delivery) float64 { return float64(d.Lost) })},
}

func lost(r *Row) string { return lostOf(r.Delivery) }

// lostOf returns an empty text if the receiver does not count messages.
func lostOf(d *Delivery) string {
	if d == nil {
		return ""
	}
	return strconv.FormatUint(d.Lost, 10)
}

func inDelivery(value func(*Delivery) float64) func(*Row) float64 {
	return func(r *Row) float64 {
		if r.Delivery == nil {
			return 0
		}
		return value(r.Delivery)
	}
}

var verifyColumns = []Column{
	{Field: "verify.messages", Unit: "messages", Definition: "messages whose every byte was compared when their arrival was detected, of both sides",
		Head: "checked", shown: "messages", print: asCount, Value: inVerify(func(v *Verify) float64 { return float64(v.Messages) })},
	{Field: "verify.torn", Unit: "messages", Definition: "checked messages in which some bytes were new and others were not",
		Head: "torn", shown: "messages", print: asCount, Value: inVerify(func(v *Verify) float64 { return float64(v.Torn) })},
	{Field: "verify.stale", Unit: "messages", Definition: "checked messages whose every byte was from an earlier message, or results of atomic operations that lack an earlier operation",
		Head: "stale", shown: "messages", print: asCount, Value: inVerify(func(v *Verify) float64 { return float64(v.Stale) })},
	{Field: "verify.duplicates", Unit: "messages", Definition: "checked messages that were detected twice, or results of atomic operations that count one too many",
		Head: "duplicates", shown: "messages", print: asCount, Value: inVerify(func(v *Verify) float64 { return float64(v.Duplicates) })},
	{Field: "verify.first", Definition: "details of the first corrupted message", Head: "first bad message", words: firstBad},
}

func firstBad(r *Row) string {
	if r.Verify == nil {
		return ""
	}
	return r.Verify.First
}

// roundColumns define the numbers of a round, from which values side by side and ratios are computed.
var roundColumns = []Column{
	{Field: "rounds", Definition: "the short measurements that the row is made of; the n-th rounds of a run were measured one right after the other in all modes"},
	{Field: "rounds.run", Unit: "1", Definition: "the run of the round; each run has new QPs, memory and connections"},
	{Field: "rounds.ended", Definition: "when the round ended, by the clock of the host that wrote the file"},
	{Field: "rounds.messages", Unit: "messages", Definition: "messages that the round counts, of all QPs and of both directions"},
	{Field: "rounds.seconds", Unit: "s", Definition: "time that the round covers"},
	{Field: "rounds.p50_ns", Kind: option.KindLatency, Unit: "ns", Definition: "median of the round's samples; in a run without end, mean of the medians of its parts"},
	{Field: "rounds.p90_ns", Kind: option.KindLatency, Unit: "ns", Definition: "90th percentile of the round's samples; in a run without end, mean of those of its parts"},
	{Field: "rounds.p99_ns", Kind: option.KindLatency, Unit: "ns", Definition: "99th percentile of the round's samples; in a run without end, mean of those of its parts"},
	{Field: "rounds.mean_ns", Kind: option.KindLatency, Unit: "ns", Definition: "arithmetic mean of the round's samples"},
	{Field: "rounds.average_bytes_per_s", Kind: option.KindBandwidth, Unit: rateDefinedUnit, Definition: "average of the round"},
}
