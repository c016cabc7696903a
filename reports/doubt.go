package reports

import (
	"slices"

	"github.com/ibperf/ibperf/reports/result"
)

// What keeps a row from telling how its mode stands to others. Tables, plots and verdicts have
// it from here.

// disturbances are the warnings of rows that make their ratios doubtful, and what they come
// to. The others say something of a row that its ratio does not depend on, as few-samples,
// which is about percentiles beyond the 99th.
var disturbances = []struct{ id, words string }{
	{"preempted", "other work took the core of a thread that spins"},
	{"clock-drift", "a clock drifted"},
	{"one-direction", "the directions did not run together"},
	{"clocks-apart", "the sides' clocks were not aligned well enough"},
	{"short-run", "measured over less than 10 ms"},
	{"broken-off", "broken off"},
}

// disturbed reports whether a warning of one of the rows makes their ratio doubtful.
func disturbed(rows ...Entry) bool { return len(disturbancesOf(rows)) > 0 }

// disturbancesOf says by what rows were disturbed.
func disturbancesOf(rows []Entry) (words []string) {
	for _, d := range disturbances {
		if slices.ContainsFunc(rows, func(e Entry) bool { return e.hasWarning(d.id) }) {
			words = append(words, d.words)
		}
	}
	return words
}

// WhyNoRatio tells why nothing may be concluded from a row against others, empty if something
// may.
func (e Entry) WhyNoRatio() string {
	if e.NoRatio == "" && e.hardlySlept() {
		return sleptTooRarely
	}
	return e.NoRatio
}

const (
	sleptTooRarely = "event slept too rarely to measure the cost of a wake-up"

	// enoughSleeps is how often a side sleeps, for each message or each queue of messages that
	// it waits for, where waking up is what is measured.
	enoughSleeps = 0.9
	// spinningBusy is the part of its time that a thread which spins keeps its core busy.
	spinningBusy = 0.95
)

// hardlySlept reports whether a row of mode event does not measure waking up: a side that waits
// for messages slept too rarely. Rows without rounds, of files of version 1, do not tell.
func (e Entry) hardlySlept() bool {
	return e.Mode == "event" && len(e.Rounds) > 0 && slices.ContainsFunc(e.waitingCosts(), func(c result.Cost) bool { return !e.wakes(c) })
}

// wakes reports whether waking up was a part of what a side did. In a latency test it sleeps
// for each message. In a bandwidth test one wake-up may serve all messages that a QP has on
// their way, so it sleeps once for so many, and its core is idle for more of the time than
// that of a thread which spins.
func (e Entry) wakes(side result.Cost) bool {
	if e.Latency != nil {
		return side.SleepsPerMessage >= enoughSleeps
	}
	return side.SleepsPerMessage*float64(max(1, e.Depth)) >= enoughSleeps && side.Busy < spinningBusy
}

// waitingCosts are what a row cost the sides that wait for messages.
func (e Entry) waitingCosts() (costs []result.Cost) {
	here, peer := waiting(e.File)
	if here {
		costs = append(costs, e.Local)
	}
	if peer {
		costs = append(costs, e.Peer)
	}
	return costs
}

// HardlySleptText says how often those of some rows slept that slept too rarely, "" if there
// are none: "event slept 0.00030 to 0.012 times per message and kept the core busy for 96-99 %
// of the time: the cost of a wake-up was not measured".
func HardlySleptText(rows []Entry) string {
	var sleeps, busy span
	for _, e := range rows {
		if e.Row == nil || e.WhyNoRatio() != sleptTooRarely {
			continue
		}
		for _, side := range e.waitingCosts() {
			sleeps.add(side.SleepsPerMessage)
			if e.Bandwidth != nil && side.Busy >= spinningBusy {
				busy.add(side.Busy)
			}
		}
	}
	if sleeps.n == 0 {
		return ""
	}
	text := "event slept " + sleeps.text(wakeUpNumber, " to ") + " times per message"
	if busy.n > 0 {
		text += " and kept the core busy for " + busy.text(percentNumber, "-") + " % of the time"
	}
	return text + ": the cost of a wake-up was not measured"
}
