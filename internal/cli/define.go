package cli

import (
	"errors"
	"fmt"
	"math"
	"net/netip"
	"strconv"
	"strings"

	"github.com/ibperf/ibperf/harness"
	"github.com/ibperf/ibperf/verbs"
)

// define makes the flags of a benchmark program, which set o and raw.
func define(o *options, raw *rawOptions) *flags {
	f := newFlags()
	defineConnection(f, o)
	defineDevice(f, o)
	defineTest(f, o, raw)
	defineCompletion(f, o, raw)
	defineRounds(f, o)
	defineOutput(f, o)
	return f
}

func defineConnection(f *flags, o *options) {
	f.group("Connection")
	f.value(count(&o.port, 0, math.MaxUint16), "port", "p", "N",
		fmt.Sprintf("TCP port of the server (default %d); 0 on the server: any free port, which it prints", defaultPort))
	f.value(valueOf(&o.bind, "addr", parseAddress), "bind_source_ip", "", "ADDR",
		"server: listen at this address only (default all interfaces)")
	f.value(seconds(&o.connectTimeout, 0), "connect-timeout", "", "TIME",
		"client: try for so long to reach the server, seconds or with a unit (default 10s)")
	f.toggle(&o.persistent, "persistent", "", "server: serve clients until stopped, also several at a time")
	f.value(word(&o.readyFile, "path"), "ready-file", "", "PATH",
		"server: write the port number to this file once it listens; removed at the end")
}

// parseMTU reads the bytes of a path MTU.
func parseMTU(text string) (int, error) {
	for m := verbs.MTU256; m <= verbs.MTU4096; m++ {
		if text == strconv.Itoa(m.Bytes()) {
			return m.Bytes(), nil
		}
	}
	return 0, errors.New("choose 256, 512, 1024, 2048 or 4096")
}

func parseAddress(text string) (string, error) {
	a, err := netip.ParseAddr(text)
	if err != nil {
		return "", errors.New("write an IPv4 or IPv6 address of this host")
	}
	return a.String(), nil
}

func defineDevice(f *flags, o *options) {
	f.group("Device (each side's own)")
	f.value(word(&o.device, "name"), "ib-dev", "d", "NAME",
		"RDMA device (default the first with an active port, else the embedded shm_whole); ib_caps lists them")
	f.value(count(&o.ibPort, 1, math.MaxUint8), "ib-port", "i", "N", "port of the device (default 1)")
	f.value(count(&o.gidIndex, 0, math.MaxUint8), "gid-index", "x", "N", "index into the port's GID table; the other side takes a GID of the same kind (default: one of a kind that both have, RoCE v2 first)")
}

func defineTest(f *flags, o *options, raw *rawOptions) {
	p := &o.plan
	f.group("Test (given on one side, or the same on both)")
	f.value(valueOf(&raw.size, "size", parseSize), "size", "s", "BYTES",
		fmt.Sprintf("message size in bytes, KiB as 64K or MiB as 1M (default %d)", p.Sizes[0]))
	f.toggle(&raw.all, "all", "a", "all sizes: powers of two from 2 bytes to 8 MiB")
	f.value(count(&p.Iterations, harness.MinIterations, harness.MaxIterations), "iters", "n", "N",
		fmt.Sprintf("messages of each size, mode and QP (default %d)", p.Iterations))
	f.value(seconds(&p.Duration, 0.001), "duration", "D", "TIME",
		"seconds of each measurement, instead of --iters; fractions and units such as 500ms are possible")
	f.toggle(&p.NoPeak, "noPeak", "N", noPeakText(o.spec))
	f.value(valueOf(&p.MTU, "mtu", parseMTU), "mtu", "m", "BYTES",
		"path MTU: 256, 512, 1024, 2048 or 4096 (default: the largest of both ports)")
	f.value(count(&p.Inline, 0, harness.MaxInline), "inline_size", "I", "BYTES",
		"largest message that is sent inline (default: "+inlineDefault(o.spec)+")")
	f.value(count(&p.Offset, 0, verbs.BlockSize-1), "offset", "", "BYTES",
		"begin each message so far behind an aligned 128-byte block (default 0)")
	if !o.bandwidth() {
		f.value(microseconds(&p.Gap, harness.MaxGap), "latency_gap", "", "TIME",
			"pause before each message, in usec or with a unit as 1ms; it is not part of the latency")
	}
	f.toggle(&p.RDMACM, "rdma_cm", "R", "connect the QPs through rdma_cm: name the server by the IP address of its RDMA interface")
	if !o.bandwidth() {
		return
	}
	f.value(count(&p.TxDepth, 1, harness.MaxDepth), "tx-depth", "t", "N",
		fmt.Sprintf("depth of the send queue (default %d)", p.TxDepth))
	f.value(count(&p.RxDepth, 1, harness.MaxDepth), "rx-depth", "r", "N",
		fmt.Sprintf("depth of the receive queue (default %d)", p.RxDepth))
	f.value(count(&p.QPs, 1, harness.MaxQPs), "qp", "q", "N", "number of QPs (default 1)")
	f.value(count(&p.CQMod, 1, harness.MaxCQMod), "cq-mod", "Q", "N",
		"one send completion for so many messages (default 100, and 1 for a single size above 8 KiB)")
	f.toggle(&p.StrictPCIe, "disable_pcie_relaxed", "",
		"register memory without PCIe relaxed ordering, which bandwidth tests ask for otherwise in modes poll and event; mode data and comparisons never do")
}

func noPeakText(s spec) string {
	lost := "the mean only, no percentiles"
	if s.bandwidth() {
		lost = "no peak"
	}
	return "read the clock at the beginning and the end only, with --duration also after each 1024 messages or 64 MiB: " + lost
}

func inlineDefault(s spec) string {
	if s.bandwidth() {
		return "0"
	}
	return "perftest's, as far as the device allows"
}

func defineCompletion(f *flags, o *options, raw *rawOptions) {
	p := &o.plan
	f.group("Completion (given on one side, or the same on both)")
	f.value(oneOf(&p.Completion, harness.ModeAuto, harness.ModeData, harness.ModePoll, harness.ModeEvent), "completion", "", "MODE",
		"how arrival is detected: data (spin on the data itself), poll (spin on the completion queue), "+
			"event (sleep until a completion event), or auto: data where the device promises its order, else poll (default "+
			string(p.Completion)+")")
	f.toggle(&raw.events, "events", "e", "the same as --completion event")
	f.toggle(&p.Compare, "compare", "", "measure every mode that is available, in rounds by turns, and compare them")
	f.value(oneOf(&p.Touch, harness.TouchNone, harness.TouchRead, harness.TouchWrite), "touch", "", "WHAT",
		"what the receiver does with each cache line of a message, as part of what is measured: none, read or write (default none; read with --compare)")
	f.toggle(&p.Verify, "verify", "", "check every byte of every message when its arrival is detected")
	f.toggle(&p.ForceData, "force-data", "", "poll data although the device does not promise its order (unsafe)")
}

func defineRounds(f *flags, o *options) {
	p := &o.plan
	f.group("Comparison (given on one side, or the same on both)")
	f.value(valueOf(&p.Also, "rows", parseAlso), "also", "", "ROWS",
		"further rows of --compare: relaxed (poll with relaxed ordering), look (data with looks at the CQ), control (data and poll once more)")
	f.value(count(&p.Rounds, 1, harness.MaxRounds), "rounds", "", "N",
		fmt.Sprintf("rounds that --iters or --duration of a row are divided into; the modes take turns (default %d with --compare, else 1)", harness.DefaultRounds))
	f.value(count(&p.Runs, 1, harness.MaxRuns), "runs", "", "N",
		"repeat all of it so often, each time on fresh QPs, memory and connections (default 1)")
	f.value(valueOf(&p.Precision, "percent", parsePercent), "precision", "", "PERCENT",
		"with --compare: go on until every ratio is known to plus or minus so much, such as 3%")
	f.value(seconds(&p.TimeLimit, 1), "time-limit", "", "TIME",
		fmt.Sprintf("with --precision: stop after so long all the same (default %v)", harness.DefaultTimeLimit))
}

// parseAlso reads names with commas between them; which there are says [harness.Plan.Check].
func parseAlso(text string) ([]string, error) { return strings.Split(text, ","), nil }

// parsePercent reads a percentage, with or without its sign.
func parsePercent(text string) (float64, error) {
	n, err := strconv.ParseFloat(strings.TrimSuffix(text, "%"), 64)
	if err != nil || !(n > 0 && n < 100) {
		return 0, errors.New("write a percentage above 0 and below 100, such as 3%")
	}
	return n / 100, nil
}

func defineOutput(f *flags, o *options) {
	f.group("Output (each side's own)")
	if o.bandwidth() {
		f.toggle(&o.gbits, "report_gbits", "", "print bandwidth in Gb/s (10^9 bits) instead of MiB/s (2^20 bytes)")
	}
	f.toggle(&o.json, "out_json", "", "write a result file")
	f.value(word(&o.jsonFile, "path"), "out_json_file", "", "PATH",
		"name of the result file (default "+o.program()+".json); implies --out_json")
	f.toggle(&o.quietCPU, "CPU-freq", "F", "do not warn about CPU frequency scaling")
	f.toggle(&o.help, "help", "h", "print this text")
	f.toggle(&o.version, "version", "V", "print the version")
}
