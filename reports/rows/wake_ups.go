package rows

import (
	"slices"

	"github.com/ibperf/ibperf/option"
	"github.com/ibperf/ibperf/reports/phrase"
	"github.com/ibperf/ibperf/result"
)

// whyNoRatio returns why the row is not compared with others, or "" if it is.
func (e Entry) whyNoRatio() string {
	if e.NoRatio == "" && e.HardlySlept() {
		return SleptTooRarely
	}
	return e.NoRatio
}

// SleptTooRarely is the reason why rows for which [Entry.HardlySlept] holds have no ratio.
const SleptTooRarely = "event slept too rarely to measure the cost of a wake-up"

// HardlySlept reports whether a row of mode event does not measure wake-ups, since a side that waits
// for messages slept too rarely. Files of version 1, whose rows have no rounds, do not have the
// number of sleeps. Threads that share a CPU need not sleep: the kernel may switch to the thread that a
// completion woke before the other one sleeps, and each message costs a switch in either case. At a rate a side sleeps as
// often as the rate lets it.
func (e Entry) HardlySlept() bool {
	return e.Mode == option.ModeEvent && e.Load == nil && !e.OneCPU() && len(e.Rounds) > 0 && slices.ContainsFunc(e.WaitingCosts(), func(c result.Cost) bool { return !e.Wakes(c) })
}

// Wakes reports whether wake-ups were part of the work of a side. In a latency test a side sleeps
// for each message. In a bandwidth test one wake-up may serve all messages that a QP may have
// outstanding, so a side sleeps once for that number of messages, and its core is idle for longer
// than that of a spinning thread.
func (e Entry) Wakes(side result.Cost) bool {
	if e.Latency != nil {
		return side.SleepsPerMessage >= result.MinSleepsPerMessage
	}
	return side.SleepsPerMessage*float64(max(1, e.Depth)) >= result.MinSleepsPerMessage && side.Busy < result.SpinningBusy
}

// HardlySleptText describes the sleeps of those rows for which [Entry.HardlySlept] holds, and
// returns "" if it holds for no row: "event slept 0.00030 to 0.012 times per message and kept the
// core busy for 96-99 % of the time: the cost of a wake-up was not measured".
func HardlySleptText(rows []Entry) string {
	var sleeps, busy phrase.Span
	for _, e := range rows {
		if e.Row == nil || e.whyNoRatio() != SleptTooRarely {
			continue
		}
		for _, side := range e.WaitingCosts() {
			sleeps.Add(side.SleepsPerMessage)
			if e.Bandwidth != nil && side.Busy >= result.SpinningBusy {
				busy.Add(side.Busy)
			}
		}
	}
	if sleeps.N == 0 {
		return ""
	}
	text := "event slept " + sleeps.Text(phrase.WakeUpNumber, " to ") + " times per message"
	if busy.N > 0 {
		text += " and kept the core busy for " + busy.Text(phrase.PercentNumber, "-") + " % of the time"
	}
	return text + ": the cost of a wake-up was not measured"
}
