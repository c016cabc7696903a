package verdict

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strconv"

	"github.com/ibperf/ibperf/internal/printable"
	"github.com/ibperf/ibperf/reports/phrase"
	"github.com/ibperf/ibperf/result"
)

// A spinner is the measuring thread of one side, in all rows in which it spins.
type spinner struct {
	host     string
	client   bool
	software bool  // software replaces the device of its side
	cpus     []int // that it ran on
	hostCPUs int
	had, of  float64 // seconds on a CPU, and of all rounds
	rounds   int
}

// busy returns the fraction of the time for which the thread had a CPU; NaN: it never spun.
func (s *spinner) busy() float64 { return s.had / s.of }

// starved reports whether the thread had too little of its CPU's time, not only between rounds.
func (s *spinner) starved() bool {
	return s.busy() < result.VerdictBusy && s.of-s.had > result.EdgeLossS*float64(s.rounds)
}

// spinnersOf returns the measuring threads of runs that compare modes.
func spinnersOf(runs []*result.File) (all []*spinner) {
	for _, f := range withoutCopies(runs) {
		if !comparesModes(f) {
			continue
		}
		for i := range f.Rows {
			if r := &f.Rows[i]; !sleeps(r.Mode) {
				client := f.Role != "server"
				all = addSpinner(all, f, &f.Local, r, &r.Local, client)
				all = addSpinner(all, f, &f.Peer, r, &r.Peer, !client)
			}
		}
	}
	return all
}

// addSpinner adds what the thread of a side had of its CPU in a row, and nothing if it made pauses.
func addSpinner(all []*spinner, f *result.File, side *result.Side, r *result.Row, cost *result.Cost, client bool) []*spinner {
	at := slices.IndexFunc(all, func(s *spinner) bool { return s.host == side.Host && s.client == client })
	if at < 0 {
		at = len(all)
		all = append(all, &spinner{host: side.Host, client: client, software: side.Device.Software != "", hostCPUs: side.CPUs})
	}
	s := all[at]
	for _, cpu := range cost.CPUs {
		s.cpus = phrase.AddNew(s.cpus, cpu)
	}
	if cost.Busy == 0 || client && f.Parameters.Gap > 0 {
		return all
	}
	s.rounds += len(r.Rounds)
	for i := range r.Rounds {
		s.of += r.Rounds[i].Seconds
		s.had += r.Rounds[i].Seconds * cost.Busy
	}
	return all
}

// starvation reports whether a measuring thread had too little of its CPU's time, and what to do about it.
func starvation(runs []*result.File) (reason, remedy string, starved bool) {
	all := spinnersOf(runs)
	short := slices.DeleteFunc(slices.Clone(all), func(s *spinner) bool { return !s.starved() })
	if len(short) == 0 {
		return "", "", false
	}
	slices.SortStableFunc(short, func(a, b *spinner) int { return cmp.Compare(a.busy(), b.busy()) })
	oneHost := !slices.ContainsFunc(all, func(s *spinner) bool { return s.host != all[0].host })
	where := func(host string, cpus []int) string {
		if oneHost {
			return cpusText(cpus)
		}
		return cpusText(cpus) + " of " + printable.Clean(host)
	}
	worst := short[0]
	reason = fmt.Sprintf("the measuring thread on %s had %.0f %% of its CPU's time (limit %.0f %%)",
		where(worst.host, slices.Sorted(slices.Values(worst.cpus))), math.Floor(100*worst.busy()), 100*result.VerdictBusy)
	var places []string
	choice := false // of other CPUs
	software := false
	for _, s := range short {
		software = software || s.software
		cpus := cpusOn(s.host, short)
		places = phrase.AddNew(places, where(s.host, cpus))
		choice = choice || s.hostCPUs > len(cpusOn(s.host, all))
	}
	remedy = "Stop other work on " + phrase.List(places)
	if choice {
		remedy += ", or choose idle CPUs with --pin_cores"
	}
	remedy += ", and run again"
	if software {
		remedy += "; the software device may take some of it"
	}
	return reason, remedy + ".", true
}

// cpusOn returns the CPUs of a host that threads ran on, in ascending order.
func cpusOn(host string, threads []*spinner) (cpus []int) {
	for _, s := range threads {
		for _, cpu := range s.cpus {
			if s.host == host {
				cpus = phrase.AddNew(cpus, cpu)
			}
		}
	}
	slices.Sort(cpus)
	return cpus
}

// cpusText names CPUs: "CPUs 0, 2-5".
func cpusText(cpus []int) string {
	switch len(cpus) {
	case 0:
		return "its CPU"
	case 1:
		return "CPU " + strconv.Itoa(cpus[0])
	case 2:
		return fmt.Sprintf("CPUs %d and %d", cpus[0], cpus[1])
	}
	var near []int // those and the next after each
	for _, cpu := range cpus {
		near = phrase.AddNew(phrase.AddNew(near, cpu), cpu+1)
	}
	return "CPUs " + phrase.Ranges(near, cpus, strconv.Itoa)
}
