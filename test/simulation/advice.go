package main

import (
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/ibperf/ibperf/internal/testresult"
	"github.com/ibperf/ibperf/option"
	"github.com/ibperf/ibperf/reports/verdict"
	"github.com/ibperf/ibperf/result"
)

// An advice says how often verdicts recommend data rather than poll.
type advice struct {
	right float64 // where data takes less than half of poll's time
	wrong float64 // where the rows of both are of modes that take the same time, either of them
}

// advise makes comparisons, writes each into a result file, and reads the verdict on it.
func (p plan) advise(m machine, times int) (a advice) {
	rnd := rand.New(rand.NewPCG(8, 8))
	f := testresult.File(noTest{}, option.OpWrite, option.KindLatency, []int{8}, option.ModeData, option.ModePoll, option.ModePoll)
	f.Rows[2].Variant = option.VariantControl
	for range times {
		c := p.compare(m, rnd)
		c.fill(f, poll, control)
		if c.fill(f, data); recommends(f, option.ModeData) {
			a.right += 1 / float64(times)
		}
		if c.fill(f, adaptive); recommends(f, option.ModeData) || recommends(f, option.ModePoll) {
			a.wrong += 1 / float64(times)
		}
	}
	return a
}

// fill replaces the rounds of a file's last rows, or of its first, by those of modes.
func (c *comparison) fill(f *result.File, of ...int) {
	rows := f.Rows[:1]
	if len(of) > 1 {
		rows = f.Rows[1:]
	}
	for i, mode := range of {
		rows[i].Rounds = nil
		for j, v := range c.figures[mode] {
			rows[i].Rounds = append(rows[i].Rounds, result.Round{Run: c.runs[j] + 1, Messages: 250, Seconds: 0.01, P50Ns: v, MeanNs: v})
		}
	}
}

// withheld returns how often comparisons of one size, by a program that compares all modes, allow no verdict.
func (p plan) withheld(m machine, times int) (part float64) {
	rnd := rand.New(rand.NewPCG(8, 8))
	f := testresult.File(noTest{}, option.OpWrite, option.KindLatency, []int{8}, option.ModeData, option.ModePoll, option.ModeAdaptive, option.ModeEvent, option.ModePoll)
	f.Rows[4].Variant = option.VariantControl
	for range times {
		c := p.compare(m, rnd)
		c.fill(f, data)
		c.fill(f, poll, adaptive, event, control)
		if _, _, none := verdict.NoVerdict([]*result.File{f}); none {
			part += 1 / float64(times)
		}
	}
	return part
}

// recommends reports whether the verdict recommends a mode because it is faster than the other one.
func recommends(f *result.File, m option.Mode) bool {
	for _, line := range verdict.Judge([]*result.File{f}).Answers[0].Lines {
		if strings.HasPrefix(line, "write latency: "+string(m)+" for 8 bytes") {
			return !strings.Contains(line, "as fast as")
		}
	}
	return false
}

// noTest lets package testresult make files outside of a test.
type noTest struct{ testing.TB }

func (noTest) Helper() {}
