package soak

import (
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"time"

	"github.com/ibperf/ibperf/verbs"
)

// told is what the sides of a session tell each other beside the device.
type told struct {
	Step  string           `json:"step"`
	Seed  uint64           `json:"seed,omitempty"` // of step "plan"
	Ends  []verbs.Endpoint `json:"ends,omitempty"` // of the QPs that send, then, of XRC, that receive
	Addr  uint64           `json:"addr,omitempty"`
	RKey  uint32           `json:"rkey,omitempty"`
	SRQ   uint32           `json:"srq,omitempty"` // number of XRC's
	Gone  region           `json:"gone"`          // was deregistered
	Sent  int              `json:"sent"`          // of step "sent": SENDs with data
	Words []uint64         `json:"words,omitempty"`
	Error string           `json:"error,omitempty"` // ends the session
	Hang  bool             `json:"hang,omitempty"`  // the error is errHang
}

type region struct {
	Addr uint64 `json:"addr"`
	RKey uint32 `json:"rkey"`
}

// errLost: the other process is gone, or has closed the connection.
var errLost = errors.New("the connection to the other side is lost")

// line is the connection between the sides of a session.
type line struct {
	conn  net.Conn
	out   *json.Encoder
	heard chan told // closed when the connection is lost
	lost  chan struct{}
}

func newLine(conn net.Conn) *line {
	l := &line{conn, json.NewEncoder(conn), make(chan told, 8), make(chan struct{})}
	go func() {
		defer close(l.heard)
		defer close(l.lost)
		for in := json.NewDecoder(conn); ; {
			var m told
			if in.Decode(&m) != nil {
				return
			}
			l.heard <- m
		}
	}()
	return l
}

func (l *line) tell(m told) error {
	l.conn.SetWriteDeadline(time.Now().Add(limit))
	if err := l.out.Encode(m); err != nil {
		return errLost
	}
	return nil
}

// hear waits for the step.
func (l *line) hear(step string) (told, error) {
	select {
	case m, ok := <-l.heard:
		return m, m.check(step, ok)
	case <-time.After(limit):
		return told{}, fmt.Errorf("%w: no %q from the other side in %v", errHang, step, limit)
	}
}

// listen returns the step if the other side has come to it, or nil.
func (l *line) listen(step string) (*told, error) {
	select {
	case m, ok := <-l.heard:
		return &m, m.check(step, ok)
	default:
		return nil, nil
	}
}

// last returns what the other side has said before the connection was lost.
func (l *line) last() error {
	for m := range l.heard {
		if m.Error != "" {
			return m.check("", true)
		}
	}
	return errLost
}

func (m told) check(step string, ok bool) error {
	switch {
	case !ok:
		return errLost
	case m.Hang:
		return fmt.Errorf("%w: the other side: %s", errHang, m.Error)
	case m.Error != "":
		return fmt.Errorf("%w: the other side: %s", errWrong, m.Error)
	case m.Step != step:
		return fmt.Errorf("%w: the other side is at step %q instead of %q", errWrong, m.Step, step)
	}
	return nil
}

// close ends the connection and the goroutine that reads from it.
func (l *line) close() {
	l.conn.Close()
	for range l.heard {
	}
}
