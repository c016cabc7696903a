package cli

import (
	"encoding/json"
	"sync"
	"time"
)

// series is a run's place among those that a client makes on one command line, each on a
// connection of its own.
type series struct {
	ID     string `json:"id"`
	Number int    `json:"number"` // from 1
	Of     int    `json:"of"`
}

// seriesPause is how long a client may be away between two runs of a series: it has
// nothing else to do.
const seriesPause = 15 * time.Second

// seriesOf returns the series that a proposal is in, nil if it is in none. What is wrong
// with a proposal shows when it is considered.
func seriesOf(data []byte) *series {
	var p struct {
		Series *series `json:"series"`
	}
	if json.Unmarshal(data, &p) != nil || p.Series == nil || p.Series.ID == "" || p.Series.Number < 1 {
		return nil
	}
	return p.Series
}

// last tells whether the client comes no more.
func (s *series) last() bool { return s == nil || s.Number >= s.Of }

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
