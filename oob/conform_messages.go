package oob

import (
	"encoding/json"
	"fmt"
)

// The names of the exchanges of ib_conform.
const (
	exchangeConform       = "conform"        // the client's ConformHello; the server sends nothing
	exchangeConformAnswer = "conform-answer" // the server's Answer, empty for a second process; the client sends nothing
	exchangeConformEnd    = "end"            // the session is over; both sides send nothing
)

// The names of the exchanges of a connection for a second process. A name that ends in "-" is
// followed by the number of the exchange, from 0. An empty payload ends the stream.
const (
	ConformToPeer   = "to-peer-"   // the client sends bytes to the process; the server sends nothing
	ConformFromPeer = "from-peer-" // the server sends bytes from the process; the client sends nothing
	ConformKill     = "kill"       // the client asks the server to kill the process
	ConformKilled   = "killed"     // the server sends what the process has printed
)

// ConformHello is the first message of a client of ib_conform. The connection that begins a
// session has a device in it, and a connection for a second process has the session alone.
type ConformHello struct {
	Release string    `json:"release,omitempty"`
	Session string    `json:"session"`
	Device  *DeviceID `json:"device,omitempty"`
}

// BeginConform begins a session and returns the server's answer, which has no plan.
func (c *Conn) BeginConform(h *ConformHello) (Answer, error) {
	data, err := c.sendConform(h)
	if err != nil {
		return Answer{}, err
	}
	return decodeAnswer(exchangeConformAnswer, data)
}

// JoinConform asks the server for a second process in a session.
func (c *Conn) JoinConform(session string) error {
	_, err := c.sendConform(&ConformHello{Session: session})
	return err
}

func (c *Conn) sendConform(h *ConformHello) (answer []byte, err error) {
	mine, err := json.Marshal(h)
	if err != nil {
		return nil, err
	}
	if _, err := c.Exchange(exchangeConform, mine); err != nil {
		return nil, err
	}
	return c.exchangeJSON(exchangeConformAnswer, nil)
}

// ReceiveConform returns the client's hello. A [*MessageError] says what is wrong with it.
func (c *Conn) ReceiveConform() (ConformHello, error) {
	data, err := c.exchangeJSON(exchangeConform, nil)
	if err != nil {
		return ConformHello{}, err
	}
	var h ConformHello
	err = Decode(data, &h)
	if err == nil {
		if err = checkNames(h.Session); err != nil {
			err = fmt.Errorf("session: %w", err)
		}
	}
	if err == nil && h.Device != nil {
		err = checkNames(h.Device.Name, h.Device.Backend)
	}
	return h, messageError(exchangeConform, err)
}

// AnswerConform sends the answer to a client that begins a session; nil says that a second
// process has started.
func (c *Conn) AnswerConform(a *Answer) error {
	var mine []byte
	if a != nil {
		var err error
		if mine, err = json.Marshal(a); err != nil {
			return err
		}
	}
	_, err := c.Exchange(exchangeConformAnswer, mine)
	return err
}

// EndConform returns when both sides have ended the session.
func (c *Conn) EndConform() error {
	_, err := c.Exchange(exchangeConformEnd, nil)
	return err
}
