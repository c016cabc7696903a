package oob

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"github.com/ibperf/ibperf/internal/printable"
	"github.com/ibperf/ibperf/option"
)

// The names of the exchanges in which the sides agree.
const (
	exchangePlan   = "plan"   // the client's Proposal; the server sends nothing
	exchangeAnswer = "answer" // the server's Answer; the client sends nothing; once more after Wait
)

// DeviceID identifies a side's device to the peer.
type DeviceID struct {
	Name    string `json:"name"`
	Backend string `json:"backend"`
	Boot    string `json:"boot"` // the kernel's boot_id, equal for two sides on one host
}

// Proposal is a client's request for a run.
type Proposal struct {
	Release string     `json:"release"`
	Program string     `json:"program"` // names the test
	Device  DeviceID   `json:"device"`
	More    []DeviceID `json:"more_devices,omitempty"` // that are measured at the same time
	Given   []string   `json:"given"`                  // names of the options on the client's command line
	Series  *Series    `json:"series,omitempty"`

	WantsCaps bool            `json:"wants_caps,omitempty"` // the answer is to hold the capabilities of the server's device
	Plan      json.RawMessage `json:"plan"`                 // as package option encodes it
}

// Devices returns the client's devices.
func (p *Proposal) Devices() []DeviceID { return append([]DeviceID{p.Device}, p.More...) }

// Devices returns the server's devices.
func (a *Answer) Devices() []DeviceID { return append([]DeviceID{a.Device}, a.More...) }

// Series is the position of a connection among those that a client makes on one command line. Each test
// of a series has a connection of its own. The connection of the first test may stay open until the series
// ends, so that each side notices the other's end between two tests too. A comparison has several runs,
// which are series with the same ID.
type Series struct {
	ID     string `json:"id"`
	Number int    `json:"number"` // of the test, from 1
	Of     int    `json:"of"`
	Run    int    `json:"run,omitempty"` // number of the series, from 1; 0: there is one
	Runs   int    `json:"runs,omitempty"`
	Held   bool   `json:"held,omitempty"`   // the client keeps the first test's connection open
	Builds bool   `json:"builds,omitempty"` // two builds are compared, in an order that both sides know
}

// IsFirst reports whether no test precedes. A test without a series is the first.
func (s *Series) IsFirst() bool { return s == nil || s.Number == 1 && !s.Repeats() }

// EndsRun reports whether no test of the same run follows.
func (s *Series) EndsRun() bool { return s == nil || s.Number >= s.Of }

// IsLast reports whether no test follows. A test without a series is the last.
func (s *Series) IsLast() bool { return s.EndsRun() && (s == nil || s.Run >= s.Runs) }

// Repeats reports whether an earlier run of the comparison had the same test, so that what there is to say
// about it was said.
func (s *Series) Repeats() bool { return s != nil && s.Run > 1 }

// RunsBefore returns the number of runs of the comparison before this one.
func (s *Series) RunsBefore() int {
	if s == nil {
		return 0
	}
	return max(0, s.Run-1)
}

// KeepsOpen reports whether the test's connection stays open after the test.
func (s *Series) KeepsOpen() bool { return s != nil && s.Held && s.Number == 1 && !s.EndsRun() }

// Answer is a server's reply to a proposal: a plan, a refusal, or that the client has to wait for another answer.
type Answer struct {
	Release string          `json:"release"`
	Device  DeviceID        `json:"device"`
	More    []DeviceID      `json:"more_devices,omitempty"` // the server's, as many as the client's; none from releases that have one device
	Plan    json.RawMessage `json:"plan,omitempty"`
	Caps    json.RawMessage `json:"caps,omitempty"`    // a report of ib_caps
	Class   string          `json:"class,omitempty"`   // of the refusal, as in [PeerError]
	Refusal string          `json:"refusal,omitempty"` // its text
	Wait    string          `json:"wait,omitempty"`    // why the client has to wait
}

// Propose sends a client's proposal and returns the server's answer. If the client has to wait for it, Propose calls
// waits once with the server's reason.
func (c *Conn) Propose(p *Proposal, waits func(why string)) (Answer, error) {
	mine, err := json.Marshal(p)
	if err != nil {
		return Answer{}, err
	}
	if _, err := c.Exchange(exchangePlan, mine); err != nil {
		return Answer{}, err
	}
	a, err := c.receiveAnswer()
	if err != nil || a.Wait == "" {
		return a, err
	}
	waits(a.Wait)
	return c.receiveAnswer()
}

func (c *Conn) receiveAnswer() (Answer, error) {
	data, err := c.exchangeJSON(exchangeAnswer, nil)
	if err != nil {
		return Answer{}, err
	}
	return DecodeAnswer(data)
}

// ReceiveProposal returns the client's proposal. With a [*MessageError], which says what is
// wrong with the proposal, the connection can still carry an answer, and the series is as in
// the message if it can be read.
func (c *Conn) ReceiveProposal() (Proposal, error) {
	data, err := c.exchangeJSON(exchangePlan, nil)
	if err != nil {
		return Proposal{}, err
	}
	return DecodeProposal(data)
}

// SendAnswer sends a server's answer. After one with Wait it sends another one.
func (c *Conn) SendAnswer(a *Answer) error {
	mine, err := json.Marshal(a)
	if err != nil {
		return err
	}
	_, err = c.Exchange(exchangeAnswer, mine)
	return err
}

// DecodeProposal decodes a proposal and checks its names, which are printed. It does not check
// the plan: another program or release may have other options.
func DecodeProposal(data []byte) (Proposal, error) {
	var p Proposal
	err := Decode(data, &p)
	if p.Series != nil && (p.Series.ID == "" || p.Series.Number < 1) {
		p.Series = nil
	}
	if err == nil {
		err = cmp.Or(checkNames(p.Release, p.Program, p.Device.Name, p.Device.Backend), checkMore(p.More))
	}
	return p, messageError(exchangePlan, err)
}

// maxRefusal is the longest text of a refusal, or of the reason to wait, in bytes.
const maxRefusal = 2000

// DecodeAnswer decodes an answer and checks its names, which a refusal does not need.
func DecodeAnswer(data []byte) (Answer, error) { return decodeAnswer(exchangeAnswer, data) }

func decodeAnswer(exchange string, data []byte) (Answer, error) {
	var a Answer
	err := Decode(data, &a)
	a.Refusal, a.Wait = printable.Shorten(a.Refusal, maxRefusal), printable.Shorten(a.Wait, maxRefusal)
	if err == nil && a.Refusal == "" && a.Wait == "" {
		err = cmp.Or(checkNames(a.Release, a.Device.Name, a.Device.Backend), checkMore(a.More))
	}
	return a, messageError(exchange, err)
}

// checkMore checks the number and the names of further devices.
func checkMore(all []DeviceID) error {
	if n := len(all) + 1; n > option.MaxDevices {
		return fmt.Errorf("%d devices, and the limit is %d", n, option.MaxDevices)
	}
	for _, d := range all {
		if err := checkNames(d.Name, d.Backend); err != nil {
			return err
		}
	}
	return nil
}

// maxName is the longest name of a program, device or release, in bytes.
const maxName = 64

// checkNames returns an error unless all names are words of printable ASCII.
func checkNames(names ...string) error {
	for _, n := range names {
		bad := func(r rune) bool { return r <= ' ' || r > '~' }
		switch {
		case n == "":
			return errors.New("a name is empty")
		case len(n) > maxName || strings.ContainsFunc(n, bad):
			return fmt.Errorf("%.80q is not a name: a name has 1 to %d printable ASCII characters without spaces", n, maxName)
		}
	}
	return nil
}

// messageError returns err as what is wrong with the message of an exchange; nil if it is nil.
func messageError(exchange string, err error) error {
	if err == nil {
		return nil
	}
	return &MessageError{exchange, err}
}
