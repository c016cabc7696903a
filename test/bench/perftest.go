package main

import (
	"context"
	"errors"
	"fmt"
	"math"
	"os/exec"
	"strconv"
	"strings"

	"github.com/ibperf/ibperf/option"
	"github.com/ibperf/ibperf/test/bench/comparison"
)

// perftest is the suite of the linux-rdma project, found by PATH.
type perftest struct{ setup }

func (p *perftest) label() label { return label{name: "perftest", device: p.device} }

func (p *perftest) release(ctx context.Context) (string, error) {
	return releaseOf(exec.CommandContext(ctx, "ib_write_bw", "--version"), 1)
}

func (p *perftest) server(b bench, port int, _ string) []string { return p.command(b, port) }

func (p *perftest) client(b bench, port int, _ string) []string {
	return append(p.command(b, port), "127.0.0.1")
}

// command returns the part that both command lines share; the client's has the server's name too. Relaxed
// ordering of PCIe is off, as for ibperf.
func (p *perftest) command(b bench, port int) []string {
	args := []string{"ib_" + b.test(), "-d", p.device, "-p", strconv.Itoa(port)}
	if b.usesDefaults() {
		return args
	}
	args = append(append(args, "-F", "--disable_pcie_relaxed"), testOptions(b, p.setup)...)
	if b.mode == option.ModeEvent {
		args = append(args, "--events")
	}
	return args
}

// perftestColumns has the column of each metric: the beginning of its name, and its units with their
// values in the unit of the metric. MB of older releases is 2^20 bytes too.
var perftestColumns = map[string]struct {
	name  string
	units map[string]float64
}{
	comparison.MetricLatency:   {"t_typical", map[string]float64{"[usec]": 1e3}},
	comparison.MetricBandwidth: {"BW_average", map[string]float64{"[MB/sec]": 1 << 20, "[MiB/sec]": 1 << 20}},
	comparison.MetricRate:      {"MsgRate", map[string]float64{"[Mpps]": 1e6}},
}

func (p *perftest) read(b bench, stdout, _ string) (reading, error) {
	if isOfWholeRun(b.metric) {
		return reading{}, nil
	}
	names, cells, err := perftestRow(stdout)
	if err != nil {
		return reading{}, err
	}
	if size := strconv.Itoa(b.size); cells[0] != size {
		return reading{}, fmt.Errorf("the row is of %s bytes, want %s", cells[0], size)
	}
	column := perftestColumns[b.metric]
	for i, name := range names {
		unit, found := strings.CutPrefix(name, column.name)
		if !found {
			continue
		}
		scale := column.units[unit]
		value, err := strconv.ParseFloat(cells[i], 64)
		switch {
		case err != nil || scale == 0:
			return reading{}, fmt.Errorf("column %s holds %q: no number in a known unit", name, cells[i])
		case !(value > 0) || math.IsInf(value, 0):
			return reading{}, fmt.Errorf("column %s holds %s: perftest could not measure the frequency of its clock", name, cells[i])
		}
		return reading{value: value * scale}, nil
	}
	return reading{}, fmt.Errorf("no column %s in %q", column.name, names)
}

// perftestRow returns the only row under the line with the names of the columns.
func perftestRow(stdout string) (names, cells []string, err error) {
	lines := strings.Split(stdout, "\n")
	for i, line := range lines {
		line = strings.NewReplacer("BW peak", "BW_peak", "BW average", "BW_average", "% percentile", "%_percentile").Replace(line)
		if !strings.HasPrefix(strings.TrimSpace(line), "#bytes") || i+1 == len(lines) {
			continue
		}
		names, cells = strings.Fields(line), strings.Fields(lines[i+1])
		if len(names) != len(cells) {
			return nil, nil, fmt.Errorf("%d columns but %d numbers: %q", len(names), len(cells), lines[i+1])
		}
		return names, cells, nil
	}
	return nil, nil, errors.New("no row of results in perftest's output")
}

func (p *perftest) definition(b bench) string {
	switch {
	case b.metric == comparison.MetricLatency && b.Fetches():
		return "t_typical: the median without the two largest samples; a sample is the full round trip, from post to post"
	case b.metric == comparison.MetricLatency:
		return "t_typical: the median without the two largest samples; a sample is half of the time from post to post, " +
			"in which the side also awaits its own send completion"
	case b.metric == comparison.MetricBandwidth:
		return "BW average at the client: bytes / (last completion polled - first post)"
	}
	return "MsgRate at the client: messages / (last completion polled - first post)"
}

const (
	noteClock = "perftest times with the CPU's cycle counter and a frequency that each process measures itself."
	noteData  = "ibperf polls with --force-data, as perftest polls memory without asking for the device's promise. "
	noteSends = "perftest awaits its own send completion in every sample, ibperf polls those while a message is in flight: " +
		"this is one cause of a ratio below 1. "
	noteSleeps = "perftest sleeps in every sample for its own send completion as well, ibperf only until the message arrives: " +
		"this is the cause of a ratio well below 1. "
	noteTrip    = "A sample of ibperf is from before the post to the poll that returned the completion: it prepares the next request between samples. "
	noteDropped = "perftest drops the two largest samples, which hardly changes a median. " + noteClock
	noteCold    = "ibperf warms up for 50 ms before it counts, perftest counts from its first message. "
	noteReady   = "Receivers that are not ready make perftest's sender wait 0.64 ms, ibperf's 10 us. "
)

func (p *perftest) note(b bench) string {
	switch {
	case isOfWholeRun(b.metric):
		return ""
	case b.Kind == option.KindBandwidth && b.Op == option.OpSend:
		return noteCold + noteReady + noteClock
	case b.Kind == option.KindBandwidth:
		return noteCold + noteClock
	case b.Fetches():
		return noteTrip + noteDropped
	case b.mode == option.ModeEvent:
		return noteSleeps + noteDropped
	case b.mode == option.ModeData:
		return noteData + noteSends + noteDropped
	}
	return noteSends + noteDropped
}
