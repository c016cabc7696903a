package cli

import (
	"errors"
	"fmt"
	"math"
	"net/netip"
	"strconv"

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

// perftest's limits of --iters.
const ()

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
		"register memory without PCIe relaxed ordering, which modes poll and event ask for otherwise; mode data never does")
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
	f.value(mode(&p.Completion), "completion", "", "MODE",
		"how arrival is detected: data (spin on the data itself), poll (spin on the completion queue), "+
			"event (sleep until a completion event), or auto (default): data where the device promises its order, else poll")
	f.toggle(&raw.events, "events", "e", "the same as --completion event")
	f.toggle(&p.Compare, "compare", "", "run every mode that is available, one after another")
	f.toggle(&p.Verify, "verify", "", "check every byte of every message when its arrival is detected")
	f.toggle(&p.ForceData, "force-data", "", "poll data although the device does not promise its order (unsafe)")
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
