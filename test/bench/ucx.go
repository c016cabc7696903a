package main

import (
	"context"
	"errors"
	"fmt"
	"math"
	"os/exec"
	"strconv"
	"strings"

	"github.com/ibperf/ibperf/test/bench/comparison"
)

// ucx is a test of ucx_perftest over shared memory, found by PATH.
type ucx struct {
	test    string   // of its option -t
	size    int      // bytes of a message, which may differ from the bench's
	iters   int      // measured messages
	options []string // more options; tests whose name begins with ucp_ need none
}

func (p *ucx) label() label { return label{name: "ucx_perftest", part: p.test} }

// release returns the last word of the first line that ucx_info prints.
func (*ucx) release(ctx context.Context) (string, error) {
	out, err := exec.CommandContext(ctx, "ucx_info", "-v").CombinedOutput()
	first, _, _ := strings.Cut(string(out), "\n")
	words := strings.Fields(first)
	if err != nil || len(words) == 0 {
		return "", fmt.Errorf("ask ucx_info for its version: %v: %s", err, out)
	}
	return words[len(words)-1], nil
}

func (p *ucx) server(_ bench, port int, _ string) []string { return p.command(port) }

func (p *ucx) client(_ bench, port int, _ string) []string {
	return append(p.command(port), "127.0.0.1")
}

// command returns the part that both command lines share; the client's has the server's name too. A tenth
// of the messages is warm-up, which takes about as long as in ibperf.
func (p *ucx) command(port int) []string {
	args := []string{"ucx_perftest", "-t", p.test, "-s", strconv.Itoa(p.size), "-n", strconv.Itoa(p.iters),
		"-w", strconv.Itoa(p.iters / 10), "-p", strconv.Itoa(port), "-f", "-v"}
	if strings.HasPrefix(p.test, "ucp_") { // which chooses its transport itself
		args = append([]string{"env", "UCX_TLS=shm"}, args...)
	}
	return append(args, p.options...)
}

// ucxColumns are the columns of ucx_perftest -f -v: one line of names, one of numbers.
const ucxColumns = "iterations,50.0_percentile_lat,avg_lat,overall_lat,avg_bw,overall_bw,avg_mr,overall_mr"

// read computes every number from the overall message rate, which ucx_perftest prints in whole messages
// per second. Its other columns have few digits, and their MB are 2^20 bytes.
func (p *ucx) read(b bench, stdout, _ string) (reading, error) {
	_, row, found := strings.Cut(stdout, ucxColumns+"\n")
	if !found {
		return reading{}, errors.New("no line with the names of the columns in ucx_perftest's output")
	}
	cells := strings.Split(strings.TrimSpace(row), ",")
	if want := strings.Count(ucxColumns, ",") + 1; len(cells) != want {
		return reading{}, fmt.Errorf("%d columns but %d numbers: %q", want, len(cells), row)
	}
	if cells[0] != strconv.Itoa(p.iters) {
		return reading{}, fmt.Errorf("%s iterations were measured, want %d", cells[0], p.iters)
	}
	rate, err := strconv.ParseFloat(cells[len(cells)-1], 64)
	if err != nil || !(rate > 0) || math.IsInf(rate, 0) {
		return reading{}, fmt.Errorf("overall_mr is %q: no rate of messages", cells[len(cells)-1])
	}
	switch b.metric {
	case comparison.MetricMean:
		return reading{value: 1e9 / rate}, nil
	case comparison.MetricBandwidth:
		return reading{value: rate * float64(p.size)}, nil
	}
	return reading{value: rate}, nil
}

func (p *ucx) definition(b bench) string {
	switch b.metric {
	case comparison.MetricMean:
		return "the overall latency: the time of all iterations of a ping-pong / their number / 2, the mean of all samples; " +
			"computed as 1 / overall message rate, which is printed with more digits"
	case comparison.MetricBandwidth:
		return fmt.Sprintf("overall message rate x %d bytes, the size of its messages; the rate is messages / (all of them done - first one posted)", p.size)
	}
	return "overall message rate: messages / (all of them done - first one posted)"
}

const (
	noteMean  = "Both numbers are means of all samples, since UCX prints percentiles with three decimals of a microsecond only. "
	noteRing  = "UCX sends every message from the same buffer to the same buffer, ibperf's use the slots of a ring in turn. "
	noteSame  = "Both move every message from the same buffer to the same buffer, which caches hold. "
	noteAsked = "UCX has no completion queue; ibperf also polls a completion for each cq-mod messages. "
	noteRead  = "ucx_perftest reads the clock for each message, ibperf about once in a thousand. "
	noteSmall = "UCX's messages have 8 KiB, the maximum that this transport copies at once. "
)

func (p *ucx) note(b bench) string {
	switch {
	case b.metric == comparison.MetricMean:
		return noteMean + noteRing
	case b.metric == comparison.MetricRate:
		return noteRing + noteAsked + noteRead
	case p.size != b.size:
		return noteSmall + noteSame + noteAsked
	}
	return noteSame + noteAsked
}
