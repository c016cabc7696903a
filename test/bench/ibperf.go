package main

import (
	"context"
	"fmt"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/ibperf/ibperf/option"
	"github.com/ibperf/ibperf/result"
	"github.com/ibperf/ibperf/test/bench/comparison"
)

// ibperf is the programs in the folder of the setup.
type ibperf struct{ setup }

func (p *ibperf) label() label { return label{name: "ibperf", device: p.device} }

func (p *ibperf) path(b bench) string { return filepath.Join(p.bin, "ib_"+b.test()) }

func (p *ibperf) release(ctx context.Context) (string, error) {
	return releaseOf(exec.CommandContext(ctx, p.path(bandwidth(option.OpWrite, 8, option.ModePoll, 1)), "--version"), 0)
}

func (p *ibperf) server(b bench, port int, _ string) []string {
	args := p.command(b, port)
	if b.usesDefaults() {
		return args
	}
	if !p.embedded() {
		args = append(args, "-x", strconv.Itoa(p.gidIndex))
	}
	return append(args, "--bind_source_ip", "127.0.0.1")
}

// command returns the part that both command lines share. Only bandwidth tests have options for relaxed ordering of
// PCIe, which is off, and for posting as many messages as there is room for, as in comparisons.
func (p *ibperf) command(b bench, port int) []string {
	args := []string{p.path(b), "-d", p.device, "-p", strconv.Itoa(port)}
	if b.usesDefaults() {
		return args
	}
	if b.Kind == option.KindBandwidth {
		args = append(args, "--disable_pcie_relaxed", "--post_list", "0")
	}
	return append(args, "-F")
}

func (p *ibperf) client(b bench, port int, dir string) []string {
	args := p.command(b, port)
	if b.usesDefaults() {
		return append(args, "127.0.0.1")
	}
	args = append(args, "--out_json_file", resultPath(dir))
	args = append(args, testOptions(b, p.setup)...)
	args = append(args, "--completion", string(b.mode))
	if b.mode == option.ModeData && !p.embedded() {
		args = append(args, "--force-data")
	}
	return append(args, "127.0.0.1")
}

func resultPath(dir string) string { return filepath.Join(dir, "result.json") }

// testOptions returns the options that ibperf and perftest have in common.
func testOptions(b bench, s setup) []string {
	if b.usesDefaults() {
		return nil
	}
	args := strings.Fields(b.transport)
	if b.Op != option.OpAtomic { // whose size is 8 bytes
		args = append(args, "--size", strconv.Itoa(b.size))
	}
	parameters := b.parameters(s)
	for _, name := range []string{"iters", "mtu", "gid-index", "inline_size", "tx-depth", "rx-depth", "qp", "cq-mod"} {
		if v, given := parameters[name]; given {
			args = append(args, "--"+name, strconv.Itoa(v))
		}
	}
	return args
}

func (p *ibperf) read(b bench, _, dir string) (reading, error) {
	if isOfWholeRun(b.metric) {
		return reading{}, nil
	}
	f, err := result.Read(resultPath(dir))
	if err != nil {
		return reading{}, err
	}
	if len(f.Rows) == 0 && len(f.NotMeasured) > 0 {
		return reading{}, fmt.Errorf("ib_%s has no row of mode %s: %s", b.test(), f.NotMeasured[0].Mode, f.NotMeasured[0].Why)
	}
	if len(f.Rows) != 1 || f.Rows[0].Size != b.size || f.Rows[0].Mode != b.mode {
		return reading{}, fmt.Errorf("result file of ib_%s: want one row of size %d, mode %s", b.test(), b.size, b.mode)
	}
	row := &f.Rows[0]
	var r reading
	for _, w := range f.Warnings {
		if w.ID == result.WarnSoftwareDevice {
			r.programWarnings = append(r.programWarnings, w)
		} else {
			r.runWarnings = append(r.runWarnings, w)
		}
	}
	for _, w := range row.Warnings {
		if w.ID != result.WarnFewSamples { // about percentiles, which the comparison does not use
			r.runWarnings = append(r.runWarnings, result.Warning{ID: w.ID, Text: "ibperf: " + w.Text})
		}
	}
	switch b.metric {
	case comparison.MetricLatency:
		r.value = row.Latency.P50Ns
	case comparison.MetricMean:
		r.value = row.Latency.MeanNs
	case comparison.MetricBandwidth:
		r.value = row.Bandwidth.Average
	case comparison.MetricRate:
		r.value = row.Bandwidth.MsgRate
	}
	if !(r.value > 0) {
		return r, fmt.Errorf("result file of ib_%s: %s is %v", b.test(), b.metric, r.value)
	}
	return r, nil
}

func (p *ibperf) definition(b bench) string {
	sample := "; a sample is " + result.DefinitionsFor(b.Kind, b.Op)["latency"]
	switch b.metric {
	case comparison.MetricLatency:
		return "the median of all samples" + sample
	case comparison.MetricMean:
		return "the arithmetic mean of all samples" + sample
	}
	return result.DefinitionsFor(b.Kind, b.Op)["bandwidth."+b.metric]
}

// note returns "": notes say how the others differ from ibperf.
func (*ibperf) note(bench) string { return "" }

// releaseOf runs a program that prints its version as the last word, and ends with the exit status.
func releaseOf(cmd *exec.Cmd, status int) (string, error) {
	out, err := cmd.CombinedOutput()
	words := strings.Fields(string(out))
	if cmd.ProcessState == nil || cmd.ProcessState.ExitCode() != status || len(words) == 0 {
		return "", fmt.Errorf("ask %s for its version: %v: %s", cmd.Path, err, out)
	}
	return words[len(words)-1], nil
}

// plainRC is ibperf over RC with a receive queue for each QP.
type plainRC struct{ *ibperf }

func (p plainRC) label() label { return label{"ibperf", "over RC", p.device} }

func (p plainRC) client(b bench, port int, dir string) []string {
	b.transport = ""
	return p.ibperf.client(b, port, dir)
}

func (plainRC) note(bench) string {
	return "Both are ibperf; the reference has RC, and a receive queue for each QP. "
}
