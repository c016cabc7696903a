package reports

import "github.com/ibperf/ibperf/reports/result"

// WaitingSides are the sides of a run that wait for messages: both of a ping-pong, the
// receiver of writes and sends, the requester of reads.
func WaitingSides(f *result.File) []*result.Side { return waitingSides(f) }

// WaitingBusy is the part of the time that a core was busy on the side that waits for
// messages, the busier one where both do, and the name of that side.
func (e Entry) WaitingBusy() (busy float64, who string) {
	here, peer := waiting(e.File)
	switch {
	case here && peer:
		return max(e.Local.Busy, e.Peer.Busy), "on the busier side"
	case here:
		return e.Local.Busy, whoWaits(e.File)
	}
	return e.Peer.Busy, whoWaits(e.File)
}

// PausedBusy is the same of the side that waits through the pauses between messages: the
// server of a ping-pong, the requester of reads.
func (e Entry) PausedBusy() (busy float64, who string) {
	here, who := e.File.Role == "server", "at the server"
	if result.RoundTrip(e.File.Op) {
		here, who = !here, "at the requester"
	}
	if here {
		return e.Local.Busy, who
	}
	return e.Peer.Busy, who
}

// Barred lists the rows of runs that the verdict about them does not consider: data
// without a promise, and data of devices that brought wrong data.
func Barred(runs []*result.File) map[*result.Row]bool {
	f := &findings{checks: checksOf(runs)}
	all := map[*result.Row]bool{}
	for _, run := range runs {
		for i := range run.Rows {
			if f.checks.wrongIn(run) || f.barred(Entry{File: run, Row: &run.Rows[i]}) {
				all[&run.Rows[i]] = true
			}
		}
	}
	return all
}
