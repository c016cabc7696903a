package perftest

import (
	"time"

	"github.com/ibperf/ibperf/oob"
	"github.com/ibperf/ibperf/option"
	"github.com/ibperf/ibperf/result"
)

// In a round the keys of the first QP say "ready" and "done". Tests differ in where they are exchanged:
//
//	                        once before the sizes   before each size   after each size      after the last size
//	write, read, atomic bw  keys                    -                  -                    keys, report, keys
//	the same with -b        keys                    keys               keys (-a), report    keys
//	write_lat               keys                    -                  -                    -
//	read_lat, atomic_lat    keys                    -                  -                    keys
//	send_bw                 -                       keys               report (-b), keys (-a)  keys
//	send_lat                -                       keys               -                    keys

// margin is the time that a timed test of perftest may take beyond its duration.
const margin = 30 * time.Second

func (p *Peer) sends() bool          { return p.plan.Op == option.OpSend }
func (p *Peer) unidirectional() bool { return p.plan.Bandwidth() && !p.plan.Both && !p.sends() }
func (p *Peer) allSizes() bool       { return len(p.plan.Sizes) > 1 }

// Ready returns when both sides are ready for a round, and after the last size when both are done.
func (p *Peer) Ready() error {
	p.c.limit = setUpLimit
	if p.sizes == len(p.plan.Sizes) {
		return p.finish()
	}
	if p.sizes == 0 && !p.sends() {
		if err := p.exchangeKeys(0); err != nil {
			return err
		}
	}
	if p.sends() || p.plan.Bandwidth() && p.plan.Both {
		return p.exchangeKeys(0)
	}
	return nil
}

// finish exchanges the last keys. After write_lat there are none, and a server waits until the client has its last
// completion and ends.
func (p *Peer) finish() error {
	switch {
	case p.plan.Test == (option.Test{Op: option.OpWrite, Kind: option.KindLatency}):
		return nil
	case p.early:
		return p.c.write(formatKeys(&p.mine[0], p.gid))
	}
	p.c.limit = p.waitLimit()
	return p.exchangeKeys(0)
}

// waitLimit returns the time within which perftest's next message must arrive while it measures: counted messages take any time.
func (p *Peer) waitLimit() time.Duration {
	if p.plan.Duration == 0 {
		return 0
	}
	return p.plan.Duration + margin
}

// Finish returns the number of messages that perftest sends to this side, or none if that is not known. Where only the
// client's clock ends the messages, it waits until the client is done.
func (p *Peer) Finish([]uint64) ([]uint64, error) {
	receives := p.plan.Kind == option.KindLatency || p.sends() && (p.c.server || p.plan.Both)
	switch {
	case p.plan.Duration > 0 && p.sends() && p.plan.Bandwidth() && p.c.server && !p.plan.Both:
		p.c.limit = p.waitLimit()
		p.early = true
		return []uint64{0}, p.receiveKeys(0)
	case !receives || p.plan.Duration > 0:
		return []uint64{0}, nil
	}
	return []uint64{p.plan.Iterations * uint64(p.plan.QPs)}, nil
}

// Result exchanges the reports of a round, where the test has them.
func (p *Peer) Result(mine oob.Round) (theirs oob.Round, err error) {
	p.c.limit = p.waitLimit()
	size := p.plan.Sizes[p.sizes]
	theirs.CPU = -1
	switch {
	case p.unidirectional() && p.sizes == len(p.plan.Sizes)-1:
		if err = p.exchangeKeys(0); err == nil {
			err = p.report(size, mine, &theirs)
		}
	case p.plan.Both && !p.sends():
		if p.allSizes() {
			err = p.exchangeKeys(0)
		}
		if err == nil {
			err = p.report(size, mine, &theirs)
		}
	case p.sends() && p.plan.Bandwidth():
		if p.plan.Both && p.plan.Duration == 0 {
			err = p.report(size, mine, &theirs)
		}
		if err == nil && p.allSizes() {
			err = p.exchangeKeys(0)
		}
	}
	return theirs, err
}

// report exchanges the reports of both sides. perftest's server has no figures of its own unless both sides send.
func (p *Peer) report(size int, mine oob.Round, theirs *oob.Round) error {
	r, err := p.c.exchangeReports(newReport(size, mine.Figure, p.gbits))
	if err != nil || !p.plan.Both && !p.c.server {
		return err
	}
	at := "sender"
	if p.plan.Fetches() {
		at = "requester"
	}
	if p.row, err = r.bandwidth(size, at); err != nil {
		return malformed("report", err)
	}
	theirs.Figure = &result.Round{Messages: p.row.Messages, Seconds: p.row.Seconds, Average: p.row.Average}
	theirs.Begin, theirs.End = mine.Begin, mine.Begin+int64(p.row.Seconds*1e9)
	return nil
}
