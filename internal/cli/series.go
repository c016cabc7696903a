package cli

import (
	"fmt"
	"sync"
	"time"

	"github.com/ibperf/ibperf/oob"
)

// series is a run's place among those that a client makes on one command line, each on a
// connection of its own. That of the first run stays open until the series ends, so that the server
// learns of the client's end between two runs too.
type series struct {
	ID     string `json:"id"`
	Number int    `json:"number"` // from 1
	Of     int    `json:"of"`
	Held   bool   `json:"held,omitempty"` // the client keeps the first run's connection open
}

// seriesPause is how long a client may be away between two runs of a series: it has
// nothing else to do.
const seriesPause = 15 * time.Second

// holds tells whether the run's connection stays open after the run.
func (s *series) holds() bool { return s != nil && s.Held && s.Number == 1 && !s.last() }

// seriesOf returns the series that a proposal is in, nil if it is in none. What is wrong
// with a proposal shows when it is considered.
func seriesOf(data []byte) *series {
	var p struct {
		Series *series `json:"series"`
	}
	if oob.Decode(data, &p) != nil || p.Series == nil || p.Series.ID == "" || p.Series.Number < 1 {
		return nil
	}
	return p.Series
}

// last tells whether the client comes no more.
func (s *series) last() bool { return s == nil || s.Number >= s.Of }

// hold is the connection that tells each side of a series of the other's end.
type hold struct{ conn *oob.Conn } // nil: there is none

// take keeps the connection of a run if it was left open.
func (h *hold) take(s *session) {
	if s.left {
		h.conn = s.conn
	}
}

// lost is closed when the peer has left the series; nil if that cannot be known.
func (h *hold) lost() <-chan struct{} {
	if h.conn == nil {
		return nil
	}
	return h.conn.Lost()
}

// why returns why the peer makes no more runs. It is nil if the peer has only failed in the first
// run, and may make others: then there is no connection any more.
func (h *hold) why() error {
	err := heard(h.conn.Err())
	if isLoss(err) || isOver(err) {
		return fmt.Errorf("between two runs of a series: %w", err)
	}
	h.conn = nil
	return nil
}

// end ends the series.
func (h *hold) end(err error) {
	switch {
	case h.conn == nil:
	case err != nil:
		h.conn.Abort(classOver, oneLine(err))
	default:
		_ = h.conn.Close() // a peer that was lost has taken nothing away from what is done
	}
}

// seat is the place of the one client that a server serves.
type seat struct {
	came chan *session // the client's next run

	mu    sync.Mutex
	taken bool
	id    string // of the series of which it was taken before; empty: of none
}

// take hands a client's run over, unless the place is another one's.
func (p *seat) take(s *session) {
	if !p.free(s.series) {
		_ = s.refuse(&busyError{"the server serves one client, another one"}) // which is over then
		return
	}
	p.came <- s
}

func (p *seat) free(s *series) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.taken || p.id != "" && (s == nil || s.ID != p.id) {
		return false
	}
	p.taken = true
	if s != nil {
		p.id = s.ID
	}
	return true
}

// leave gives the place back to the next run of the series.
func (p *seat) leave() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.taken = false
}
