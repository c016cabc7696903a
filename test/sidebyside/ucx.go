package main

import (
	"context"
	"errors"
	"fmt"
	"math"
	"os/exec"
	"strconv"
	"strings"

	"github.com/ibperf/ibperf/test/sidebyside/comparison"
)

// ucx is a test of ucx_perftest over shared memory, found by PATH.
type ucx struct {
	test    string   // of its option -t
	size    int      // bytes of a message, where the bench's may be another
	iters   int      // measured messages
	options []string // further ones; tests whose name begins with ucp_ need none
}

func (p *ucx) label() label { return label{name: "ucx_perftest", part: p.test} }

// release is the last word of the first line that ucx_info prints.
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

// command is the same on both sides but for the server's name. A tenth of the
// messages warm up, which takes about as long as it does in ibperf.
func (p *ucx) command(port int) []string {
	args := []string{"ucx_perftest", "-t", p.test, "-s", strconv.Itoa(p.size), "-n", strconv.Itoa(p.iters),
		"-w", strconv.Itoa(p.iters / 10), "-p", strconv.Itoa(port), "-f", "-v"}
	if strings.HasPrefix(p.test, "ucp_") { // which chooses its transport itself
		args = append([]string{"env", "UCX_TLS=shm"}, args...)
	}
	return append(args, p.options...)
}

// ucxColumns are what it prints with -f -v: one line of names, one of numbers.
const ucxColumns = "iterations,50.0_percentile_lat,avg_lat,overall_lat,avg_bw,overall_bw,avg_mr,overall_mr"

// read makes every number of the overall message rate, which is printed in whole
// messages per second. The others have few digits, and MB that are 2^20 bytes.
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
			"reckoned as 1 / overall message rate, which is printed with more digits"
	case comparison.MetricBandwidth:
		return fmt.Sprintf("overall message rate x %d bytes, the size of its messages; the rate is messages / (all of them done - first one posted)", p.size)
	}
	return "overall message rate: messages / (all of them done - first one posted)"
}

const (
	noteMean  = "Both numbers are means of all samples: of its percentiles UCX prints no more than three decimals of a microsecond. "
	notePlace = "UCX sends every message from the same place to the same place, ibperf goes round a ring. "
	noteSame  = "Both move every message from the same place to the same place, which caches hold. "
	noteAsked = "UCX knows of no completion queue: ibperf also polls a completion for each cq-mod messages. "
	noteRead  = "ucx_perftest reads the clock for each message, ibperf about once in a thousand. "
	noteSmall = "UCX's messages are of 8 KiB, the most that this transport copies at once. "
)

func (p *ucx) note(b bench) string {
	switch {
	case b.metric == comparison.MetricMean:
		return noteMean + notePlace
	case b.metric == comparison.MetricRate:
		return notePlace + noteAsked + noteRead
	case p.size != b.size:
		return noteSmall + noteSame + noteAsked
	}
	return noteSame + noteAsked
}
