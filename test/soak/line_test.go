package soak

import (
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"time"

	"github.com/ibperf/ibperf/verbs"
)

// controlMessage is a message between the sides of a session, apart from the device.
type controlMessage struct {
	Step  string           `json:"step"`
	Seed  uint64           `json:"seed,omitempty"` // of step "plan"
	Ends  []verbs.Endpoint `json:"ends,omitempty"` // of the QPs that send, then of XRC_RECV
	Addr  uint64           `json:"addr,omitempty"`
	RKey  uint32           `json:"rkey,omitempty"`
	SRQ   uint32           `json:"srq,omitempty"` // number of XRC's
	Gone  region           `json:"gone"`          // a deregistered region
	Sent  int              `json:"sent"`          // of step "sent": SENDs with data
	Words []uint64         `json:"words,omitempty"`
	Error string           `json:"error,omitempty"` // ends the session
	Hang  bool             `json:"hang,omitempty"`  // the error is errHang
}

type region struct {
	Addr uint64 `json:"addr"`
	RKey uint32 `json:"rkey"`
}

// errLost means that the other process has ended or has closed the connection.
var errLost = errors.New("the connection to the other side is lost")

// line is the connection between the sides of a session.
type line struct {
	conn     net.Conn
	out      *json.Encoder
	incoming chan controlMessage // closed when the connection is lost
	lost     chan struct{}
}

func newLine(conn net.Conn) *line {
	l := &line{conn, json.NewEncoder(conn), make(chan controlMessage, 8), make(chan struct{})}
	go func() {
		defer close(l.incoming)
		defer close(l.lost)
		for in := json.NewDecoder(conn); ; {
			var m controlMessage
			if in.Decode(&m) != nil {
				return
			}
			l.incoming <- m
		}
	}()
	return l
}

func (l *line) tell(m controlMessage) error {
	l.conn.SetWriteDeadline(time.Now().Add(limit))
	if err := l.out.Encode(m); err != nil {
		return errLost
	}
	return nil
}

// hear waits for the step.
func (l *line) hear(step string) (controlMessage, error) {
	select {
	case m, ok := <-l.incoming:
		return m, m.check(step, ok)
	case <-time.After(limit):
		return controlMessage{}, fmt.Errorf("%w: no %q from the other side in %v", errHang, step, limit)
	}
}

// listen returns the message of the step if it has arrived, or nil.
func (l *line) listen(step string) (*controlMessage, error) {
	select {
	case m, ok := <-l.incoming:
		return &m, m.check(step, ok)
	default:
		return nil, nil
	}
}

// last returns the error that the other side sent before the connection was lost.
func (l *line) last() error {
	for m := range l.incoming {
		if m.Error != "" {
			return m.check("", true)
		}
	}
	return errLost
}

func (m controlMessage) check(step string, ok bool) error {
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
	for range l.incoming {
	}
}
