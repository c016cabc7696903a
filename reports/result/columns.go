package result

import (
	"slices"
	"strconv"
	"strings"
)

// columns are all of them: whatever is printed, compared or defined comes from here.
var columns = slices.Concat(rowColumns, latencyColumns, bandwidthColumns, directionColumns, costColumns, deliveryColumns, verifyColumns, roundColumns)

var rowColumns = []Column{
	{Field: "size_bytes", Unit: "bytes", Definition: "payload of one message",
		Head: "size", shown: "B", print: asSize, Value: func(r *Row) float64 { return float64(r.Size) }},
	{Field: "mode", Definition: "how arrival is detected: data spins on the data itself, poll spins on the completion queue, event sleeps until a completion event"},
	{Field: "variant", Definition: "relaxed: with memory registered for relaxed ordering; look: with a look at the completion queue every so often; control: the same mode once more on QPs of its own"},
	{Field: "forced", Definition: "data mode although the device does not promise the order that it needs: the numbers may count data that had not arrived"},
	{Field: "opcode", Definition: "of the requests that carry messages",
		Head: "opcode", words: func(r *Row) string { return r.Opcode }},
	{Field: "touch", Definition: "what the consumer does with every cache line of a message once its arrival is detected: none, read or write; a latency sample includes it",
		Head: "touch", words: func(r *Row) string { return r.Touch }},
	{Field: "slots", Unit: "messages", Definition: "how many messages a ring holds",
		Head: "slots", empty: true, print: asCount, Value: func(r *Row) float64 { return float64(r.Slots) }},
	{Field: "span", Unit: "messages", Definition: "how many slots of a ring are in use",
		Head: "span", empty: true, print: asCount, Value: func(r *Row) float64 { return float64(r.Span) }},
	{Field: "depth", Unit: "messages", Definition: "how many requests a QP may have posted whose completions have not been taken; a latency test has one message on its way all the same",
		Head: "depth", empty: true, print: asCount, Value: func(r *Row) float64 { return float64(r.Depth) }},
	{Field: "cq_mod", Unit: "messages", Definition: "one send completion is asked for so many messages",
		Head: "cq_mod", empty: true, print: asCount, Value: func(r *Row) float64 { return float64(r.CQMod) }},
	{Field: "relaxed_ordering", Definition: "memory of messages was registered with PCIe relaxed ordering asked for; in mode data it never is",
		Head: "relaxed ordering", words: func(r *Row) string { return yesNo(r.Relaxed) }},
	{Field: "warmup_s", Unit: "s", Definition: "time that messages went before the measured ones",
		Head: "warm-up", shown: "s", empty: true, print: asSeconds, Value: func(r *Row) float64 { return r.WarmupS }},
	{Field: "no_ratio", Definition: "why nothing is concluded from the row against others"},
}

var latencyColumns = []Column{
	{Field: "latency", Kind: KindLatency, Definition: halfTripDefinition, Unit: "ns; printed as usec"},
	{Field: "latency.n", Kind: KindLatency, Unit: "samples", Definition: "number of measured samples; nothing is dropped",
		Head: "n", shown: "count", print: asCount, Value: inLatency(func(l *Latency) float64 { return float64(l.N) })},
	percentile("min_ns", "min", "the smallest of all n samples", func(l *Latency) float64 { return l.MinNs }),
	{Field: "latency.mean_ns", Kind: KindLatency, Unit: "ns", Definition: "the arithmetic mean of all n samples",
		Title: "Mean latency", Head: "mean", shown: "usec", print: asUsec,
		Value: inLatency(func(l *Latency) float64 { return l.MeanNs }), Round: func(r *Round) float64 { return r.MeanNs }},
	percentile("stdev_ns", "stdev", "the population standard deviation of all n samples", func(l *Latency) float64 { return l.StdevNs }),
	median(titled("Median latency", percentile("p50_ns", "p50", "the median"+fromHistogram, func(l *Latency) float64 { return l.P50Ns }))),
	percentile("p90_ns", "p90", "90 of 100 samples were not longer"+fromHistogram, func(l *Latency) float64 { return l.P90Ns }),
	titled("99th percentile of latency", percentile("p99_ns", "p99", "99 of 100 samples were not longer"+fromHistogram, func(l *Latency) float64 { return l.P99Ns })),
	percentile("p99_9_ns", "p99.9", "999 of 1000 samples were not longer"+fromHistogram, func(l *Latency) float64 { return l.P999Ns }),
	percentile("p99_99_ns", "p99.99", "9999 of 10000 samples were not longer"+fromHistogram, func(l *Latency) float64 { return l.P9999Ns }),
	percentile("max_ns", "max", "the largest of all n samples", func(l *Latency) float64 { return l.MaxNs }),
	{Field: "latency.iterations_per_s", Kind: KindLatency, Unit: "1/s", Definition: "n / the time of the rounds, pauses included: round trips, or READs or atomic operations, a second; the text's tps average",
		Value: inLatency(func(l *Latency) float64 { return l.Rate })},
	{Field: "latency.factor", Kind: KindLatency, Unit: "1", Definition: halfFactorDefinition,
		Value: inLatency(func(l *Latency) float64 { return l.Factor })},
	{Field: "latency.mean_only", Kind: KindLatency, Definition: "the clock was read before the first message and after the last: there are n messages and their mean, and no other statistics"},
	{Field: "samples_ns", Kind: KindLatency, Unit: "ns", Definition: "the samples in the order in which they were taken, the first of them if they are fewer than n; there if they were asked for, on the side whose clock counts"},
	{Field: "latency.histogram", Kind: KindLatency, Unit: "ns before the factor", Definition: "all samples as recorded, in nanoseconds before the factor: HdrHistogram V2 compressed, base64"},
}

const fromHistogram = ", from an HDR histogram with 3 significant digits"

// percentile is a column of what a run without single samples does not have.
func percentile(name, head, definition string, value func(*Latency) float64) Column {
	return Column{Field: "latency." + name, Kind: KindLatency, Unit: "ns", Definition: definition,
		Head: head, shown: "usec", empty: true, print: asUsec, Value: inLatency(value)}
}

// titled is a column that tables of their own are about.
func titled(title string, c Column) Column {
	c.Title = title
	return c
}

// median is a column that rounds have, too.
func median(c Column) Column {
	c.Round = func(r *Round) float64 { return r.P50Ns }
	return c
}

var bandwidthColumns = []Column{
	{Field: "bandwidth.measured_at", Kind: KindBandwidth, Definition: "the side whose clock was read: sender, receiver, or the requester of reads and atomic operations",
		Head: "measured at", words: measuredAt},
	{Field: "bandwidth.messages", Kind: KindBandwidth, Unit: "messages", Definition: "messages that the average counts, all QPs together; of a bidirectional test those of both directions, of which the text's #iterations has the side's own",
		Head: "messages", shown: "count", print: asCount, Value: inBandwidth(func(b *Bandwidth) float64 { return float64(b.Messages) })},
	{Field: "bandwidth.bytes", Kind: KindBandwidth, Unit: "bytes", Definition: "payload bytes that the average counts",
		Value: inBandwidth(func(b *Bandwidth) float64 { return float64(b.Bytes) })},
	{Field: "bandwidth.seconds", Kind: KindBandwidth, Unit: "s", Definition: "the time that the average covers; of a bidirectional test from the first of both directions' starts to the last of their ends, in each round",
		Head: "time", shown: "s", print: asSeconds, Value: inBandwidth(func(b *Bandwidth) float64 { return b.Seconds })},
	{Field: "bandwidth.average_bytes_per_s", Kind: KindBandwidth, Unit: rateDefinedUnit, Definition: rateDefinition,
		Title: "Average bandwidth", Head: "average", shown: rate, print: asRate,
		Value: inBandwidth(func(b *Bandwidth) float64 { return b.Average }), Round: func(r *Round) float64 { return r.Average }},
	window("slowest_bytes_per_s", "slowest", "the rate of the slowest window, or the average if that is lower; of a bidirectional test the sum of both directions' slowest, which need not be of the same moment", func(b *Bandwidth) float64 { return b.Slowest }),
	window("median_window_bytes_per_s", "median", "the rate of the middle window, from an HDR histogram with 3 significant digits; of a bidirectional test the sum of both directions' medians", func(b *Bandwidth) float64 { return b.MedianWindow }),
	window("peak_bytes_per_s", "peak", "the rate of the fastest window, or the average if that is higher; of a bidirectional test the sum of both directions' peaks, which need not be of the same moment", func(b *Bandwidth) float64 { return b.Peak }),
	{Field: "bandwidth.window_s", Kind: KindBandwidth, Unit: "s", Definition: "the length of the windows: they follow each other from the start, what is known to have been moved between two moments is shared out evenly over the time between, and the last, incomplete window does not count; of a bidirectional test each direction has its own",
		Head: "windows", shown: "ms", empty: true, print: asMillis, Value: inBandwidth(func(b *Bandwidth) float64 { return b.WindowS })},
	{Field: "bandwidth.messages_per_s", Kind: KindBandwidth, Unit: "messages/s; printed as Mpps (10^6 messages/s)", Definition: "messages per second over the same time as the average",
		Head: "rate", shown: "Mpps", print: asMpps, Value: inBandwidth(func(b *Bandwidth) float64 { return b.MsgRate })},
	{Field: "bandwidth.aligned_within_s", Kind: KindBandwidth, Unit: "s", Definition: "of a bidirectional test, how wrong the alignment of both sides' clocks may be, and so the time of a round: half of the quickest exchange of readings",
		Head: "clocks aligned to", shown: "ms", empty: true, print: asMillis, Value: inBandwidth(func(b *Bandwidth) float64 { return b.AlignedWithin })},
}

func measuredAt(r *Row) string {
	if r.Bandwidth == nil {
		return ""
	}
	return r.Bandwidth.MeasuredAt
}

// window is a column about the windows that the time of a row is divided into.
func window(name, head, definition string, value func(*Bandwidth) float64) Column {
	return Column{Field: "bandwidth." + name, Kind: KindBandwidth, Unit: rateDefinedUnit,
		Definition: definition + ", measured where the average is; absent if a round had no complete window, and if the clock was read at the beginning and the end only",
		Head:       head, shown: rate, empty: true, print: asRate, Value: inBandwidth(value)}
}

var costColumns = slices.Concat(
	costOf("local", "", func(r *Row) *Cost { return &r.Local }),
	costOf("peer", "peer ", func(r *Row) *Cost { return &r.Peer }),
)

// costOf are the columns of a side.
func costOf(side, prefix string, of func(*Row) *Cost) []Column {
	return []Column{
		{Field: side + ".busy", Unit: "1; printed as %", Definition: "part of the measured time that the measuring thread was on a CPU",
			Head: prefix + "busy", shown: "%", empty: true, print: asPercent, Value: func(r *Row) float64 { return of(r).Busy }},
		{Field: side + ".sleeps_per_message", Unit: "1", Definition: "wake-ups of the measuring thread by completion events, divided by the messages",
			Head: prefix + "sleeps", shown: "/msg", words: func(r *Row) string { return wakeUps(of(r)) }, Value: func(r *Row) float64 { return of(r).SleepsPerMessage }},
		{Field: side + ".cpu_ns_per_message", Unit: "ns", Definition: "CPU time of the measuring thread, user and system, divided by the messages; kernel threads that work for it are not included",
			Head: prefix + "CPU", shown: "ns/msg", empty: true, print: asNs, Value: func(r *Row) float64 { return of(r).CPUNs }},
		{Field: side + ".sleeps", Unit: "count", Definition: "how often the measuring thread slept to wait for a completion event",
			Head: prefix + "slept", shown: "count", print: asCount, Value: func(r *Row) float64 { return float64(of(r).Sleeps) }},
		{Field: side + ".preempted", Unit: "count", Definition: "how often the kernel gave the CPU of the measuring thread to another one: its involuntary context switches, with those in which a thread that had waited in vain for 20 us gave way to another one",
			Value: func(r *Row) float64 { return float64(of(r).Preempted) }},
		{Field: side + ".preempted_per_s", Unit: "1/s", Definition: "involuntary context switches of the measuring thread a second of measured time",
			Head: prefix + "preempted", shown: "/s", words: func(r *Row) string { return interruptions(of(r)) }, Value: func(r *Row) float64 { return of(r).PreemptedPerS }},
		{Field: side + ".cpu_util", Unit: "1; printed as %", Definition: "part of the time of all CPUs of the host that was not idle in the measured rounds, by whatever process; absent if it was not asked for"},
		{Field: side + ".counters", Unit: "as the counter's name says", Definition: "what counters of the port grew by in the measured rounds, by whatever traffic; absent if none were asked for"},
		{Field: side + ".cpus", Unit: "number of a CPU", Definition: "the CPUs that the measuring thread was on, as seen at the end of each round",
			Head: prefix + "on CPU", words: func(r *Row) string { return numbers(of(r).CPUs) }},
	}
}

// interruptions is empty in files that do not have the number.
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

// wakeUps is empty in files of version 1, which do not have the number.
func wakeUps(c *Cost) string {
	if c.Busy == 0 {
		return ""
	}
	return share(c.SleepsPerMessage)
}

var deliveryColumns = []Column{
	{Field: "delivery.sent", Unit: "messages", Definition: "messages that both sides sent over a transport that may lose them, warm-ups not included",
		Head: "sent", shown: "messages", empty: true, print: asCount, Value: inDelivery(func(d *Delivery) float64 { return float64(d.Sent) })},
	{Field: "delivery.lost", Unit: "messages", Definition: "sent messages that had not arrived when nothing came any more",
		Head: "lost", shown: "messages", words: lost, Value: inDelivery(func(d *Delivery) float64 { return float64(d.Lost) })},
}

func lost(r *Row) string { return lostOf(r.Delivery) }

// lostOf is empty where nobody counts what arrives.
func lostOf(d *Delivery) string {
	if d == nil {
		return ""
	}
	return strconv.FormatUint(d.Lost, 10)
}

func inDelivery(of func(*Delivery) float64) func(*Row) float64 {
	return func(r *Row) float64 {
		if r.Delivery == nil {
			return 0
		}
		return of(r.Delivery)
	}
}

var verifyColumns = []Column{
	{Field: "verify.messages", Unit: "messages", Definition: "messages of which every byte was compared at the moment their arrival was detected, both sides together",
		Head: "checked", shown: "messages", print: asCount, Value: inVerify(func(v *Verify) float64 { return float64(v.Messages) })},
	{Field: "verify.torn", Unit: "messages", Definition: "checked messages of which some bytes were new and others not",
		Head: "torn", shown: "messages", print: asCount, Value: inVerify(func(v *Verify) float64 { return float64(v.Torn) })},
	{Field: "verify.stale", Unit: "messages", Definition: "checked messages of which every byte was from an earlier message, or results of atomic operations that lack one before them",
		Head: "stale", shown: "messages", print: asCount, Value: inVerify(func(v *Verify) float64 { return float64(v.Stale) })},
	{Field: "verify.duplicates", Unit: "messages", Definition: "checked messages that were detected a second time, or results of atomic operations that have one too many before them",
		Head: "duplicates", shown: "messages", print: asCount, Value: inVerify(func(v *Verify) float64 { return float64(v.Duplicates) })},
	{Field: "verify.first", Definition: "details of the first bad message", Head: "first bad message", words: firstBad},
}

func firstBad(r *Row) string {
	if r.Verify == nil {
		return ""
	}
	return r.Verify.First
}

// roundColumns are of numbers in a row's list of rounds, which tables sum up as ratios.
var roundColumns = []Column{
	{Field: "rounds", Definition: "the short measurements that the row is made of; those of one run and place were made one right after the other in all modes"},
	{Field: "rounds.run", Unit: "1", Definition: "the run that the round was in; each run has QPs, memory and a connection of its own"},
	{Field: "rounds.messages", Unit: "messages", Definition: "messages that the round counts, all QPs together, and in both directions if there are two"},
	{Field: "rounds.seconds", Unit: "s", Definition: "the time that the round covers"},
	{Field: "rounds.p50_ns", Kind: KindLatency, Unit: "ns", Definition: "the median of the round's samples"},
	{Field: "rounds.mean_ns", Kind: KindLatency, Unit: "ns", Definition: "the arithmetic mean of the round's samples"},
	{Field: "rounds.average_bytes_per_s", Kind: KindBandwidth, Unit: rateDefinedUnit, Definition: "the average of the round"},
}
