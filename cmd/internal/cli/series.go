package cli

import (
	"fmt"
	"time"

	"github.com/ibperf/ibperf/oob"
)

// seriesPause is the longest time between two tests of a series, and between two runs.
const seriesPause = 15 * time.Second

// firstConn is the connection of a series' first test. It stays open until the series ends, so
// that each side notices the other's end between two tests too.
type firstConn struct{ conn *oob.Conn } // nil: none

// take takes the connection of a test, if the test has not closed it.
func (f *firstConn) take(s *peerSession) {
	if s.leftOpen {
		f.conn = s.conn
	}
}

// lost returns a channel that is closed when the peer has left the series; nil without a connection.
func (f *firstConn) lost() <-chan struct{} {
	if f.conn == nil {
		return nil
	}
	return f.conn.Lost()
}

// why returns the reason for which the peer makes no more tests. It is nil if only the first test has
// failed at the peer, which may make others. The connection is gone in that case.
func (f *firstConn) why() error {
	err := asRemote(f.conn.Err())
	if isLoss(err) || isOver(err) {
		return fmt.Errorf("between two tests of a series: %w", err)
	}
	f.conn = nil
	return nil
}

// end ends the series.
func (f *firstConn) end(err error) {
	switch {
	case f.conn == nil:
	case isLoss(err):
		f.conn.Cut(classOver, oneLine(err)) // a lost peer ends no stream
	case err != nil:
		f.conn.Abort(classOver, oneLine(err))
	default:
		_ = f.conn.Close() // a peer that is lost by now does not change the results
	}
	f.conn = nil
}
