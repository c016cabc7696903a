package result

import "maps"

// RoundTrip tells the operations whose latency is a full round trip.
func RoundTrip(op string) bool { return op == "read" || op == "atomic" }

// MainField names the definition of the number that a test is run for.
func MainField(kind string) string {
	if kind == KindBandwidth {
		return "average_bytes_per_s"
	}
	return "latency"
}

// DefinitionsFor says in a sentence what each number in a result file of that
// kind and operation means, by the number's field name.
func DefinitionsFor(kind, op string) map[string]string {
	defs := maps.Clone(commonDefinitions)
	own := bandwidthDefinitions
	if kind == KindLatency {
		own = latencyDefinitions
		defs["latency"] = halfTripDefinition
		defs["factor"] = "recorded times are multiplied by 0.5: the latency is half of a round trip"
		if RoundTrip(op) {
			defs["latency"] = fullTripDefinition
			defs["factor"] = "recorded times are multiplied by 1: the latency is a full round trip"
		}
	}
	maps.Copy(defs, own)
	if kind == KindBandwidth && op == "read" {
		defs["average_bytes_per_s"] = readRateDefinition
	}
	return defs
}

const (
	halfTripDefinition = "half of the round trip of a ping-pong, measured between successive posts of the same side"
	readRateDefinition = "at the requester: bytes / (last arrival detected, in data mode, or last completion polled - first post)"
	fullTripDefinition = "the full round trip, measured from the post to the detection that the answer has arrived"
)

var commonDefinitions = map[string]string{
	"rdma_cm":            "QPs were connected through rdma_cm, by IP address",
	"size_bytes":         "payload of one message",
	"mode":               "how arrival is detected: data spins on the data itself, poll spins on the completion queue, event sleeps until a completion event",
	"warmup":             "messages of each QP that went before the measured ones",
	"forced":             "data mode although the device does not promise the order that it needs: the numbers may count data that had not arrived",
	"cpu_ns_per_message": "CPU time of the measuring thread, user and system, divided by the messages; kernel threads that work for it are not included",
	"sleeps":             "how often the measuring thread slept to wait for a completion event",
	"preempted":          "how often the kernel gave the CPU of the measuring thread to another one: its involuntary context switches",
	"checked":            "messages of which every byte was compared at the moment their arrival was detected, both sides together",
	"torn":               "checked messages of which some bytes were new and others not",
	"stale":              "checked messages of which every byte was from an earlier message",
	"duplicates":         "checked messages that were detected a second time",
}

var latencyDefinitions = map[string]string{
	"n":         "number of measured samples; nothing is dropped",
	"min_ns":    "the smallest of all n samples",
	"mean_ns":   "the arithmetic mean of all n samples",
	"stdev_ns":  "the population standard deviation of all n samples",
	"p50_ns":    "the median, from an HDR histogram with 3 significant digits",
	"p90_ns":    "90 of 100 samples were not longer, from an HDR histogram with 3 significant digits",
	"p99_ns":    "99 of 100 samples were not longer, from an HDR histogram with 3 significant digits",
	"p99_9_ns":  "999 of 1000 samples were not longer, from an HDR histogram with 3 significant digits",
	"p99_99_ns": "9999 of 10000 samples were not longer, from an HDR histogram with 3 significant digits",
	"max_ns":    "the largest of all n samples",
	"mean_only": "the clock was read before the first message and after the last: there are n messages and their mean, and no other statistics",
	"histogram": "all samples as recorded, in nanoseconds before the factor: HdrHistogram V2 compressed, base64",
}

var bandwidthDefinitions = map[string]string{
	"average_bytes_per_s":       "at the sender: bytes / (last send completion polled - first post); at the receiver (data mode): bytes of the messages after the first ones seen / (last arrival detected - first arrival detected)",
	"slowest_bytes_per_s":       "the rate of the slowest window, measured where the average is; windows follow each other from the start, what is known to have been moved between two moments is shared out evenly over the time between, and the last, incomplete window does not count; absent without a complete window or if the clock was read at the beginning and the end only",
	"median_window_bytes_per_s": "the rate of the middle window, from an HDR histogram with 3 significant digits; absent as the slowest is",
	"peak_bytes_per_s":          "the rate of the fastest window; absent as the slowest is",
	"window_s":                  "the length of the windows",
	"cq_mod":                    "one send completion is asked for so many messages",
	"relaxed_ordering":          "memory of messages was registered with PCIe relaxed ordering asked for, in modes poll and event; in mode data it never is",
	"messages_per_s":            "messages per second over the same time as the average",
	"messages":                  "messages that the average counts, all QPs together",
	"bytes":                     "payload bytes that the average counts",
	"seconds":                   "the time that the average covers",
	"measured_at":               "the side whose clock was read: sender, receiver, or the requester of reads",
}

// UnitsFor names the unit of each number in a result file of that kind, by the
// number's field name.
func UnitsFor(kind string) map[string]string {
	units := map[string]string{
		"size_bytes":         "bytes",
		"cpu_ns_per_message": "ns",
		"sleeps":             "count",
		"preempted":          "count",
		"warmup":             "messages",
		"checked":            "messages",
		"torn":               "messages",
		"stale":              "messages",
		"duplicates":         "messages",
	}
	if kind == KindBandwidth {
		units["average_bytes_per_s"] = "bytes/s; printed as MiB/s (2^20 bytes) or Gb/s (10^9 bits)"
		units["peak_bytes_per_s"] = "bytes/s; printed as MiB/s (2^20 bytes) or Gb/s (10^9 bits)"
		units["slowest_bytes_per_s"] = "bytes/s"
		units["median_window_bytes_per_s"] = "bytes/s"
		units["window_s"] = "s"
		units["messages_per_s"] = "messages/s; printed as Mpps (10^6 messages/s)"
		units["messages"] = "messages"
		units["cq_mod"] = "messages"
		units["bytes"] = "bytes"
		units["seconds"] = "s"
		return units
	}
	for field := range latencyDefinitions {
		units[field] = "ns"
	}
	units["n"] = "samples"
	units["factor"] = "1"
	units["mean_only"] = "true or absent"
	units["histogram"] = "ns before the factor"
	units["latency"] = "ns; printed as usec"
	return units
}
