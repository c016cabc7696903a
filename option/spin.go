package option

import (
	"encoding/json"
	"errors"
	"strconv"
	"time"
)

// Spin is the part of a wait in which mode adaptive polls before it sleeps: a number of empty polls
// or, if Time is not 0, a time.
type Spin struct {
	Polls int
	Time  time.Duration
}

// String returns the value as --spin has it.
func (s Spin) String() string {
	if s.Time > 0 {
		return s.Time.String()
	}
	return strconv.Itoa(s.Polls)
}

// Bounds of a spin. Mode event is the one that does not spin, and poll the one that does not sleep.
const (
	defaultSpinPolls = 1000
	maxSpinPolls     = 1_000_000_000
	minSpinTime      = time.Microsecond
)

var errSpin = errors.New("write a number of polls from 1 to 1000000000, or a time with a unit from 1us to 1m")

func parseSpin(text string) (Spin, error) {
	if n, err := strconv.Atoi(text); err == nil {
		return Spin{Polls: n}, nil
	}
	d, err := time.ParseDuration(text)
	if err != nil || d <= 0 {
		return Spin{}, errSpin
	}
	return Spin{Time: d}, nil
}

func legalSpin(s Spin) error {
	switch {
	case s.Time == 0 && s.Polls >= 1 && s.Polls <= maxSpinPolls:
		return nil
	case s.Polls == 0 && s.Time >= minSpinTime && s.Time <= MaxGap:
		return nil
	}
	return errSpin
}

// spinValue is the value of --spin. Its JSON form is the text, so that a number of polls and a time are
// one member.
var spinValue = valueOf[Spin]{
	at: func(s *Settings) *Spin { return &s.Spin }, parse: parseSpin, show: Spin.String, legal: legalSpin,
	json: func(s Spin) any { return s.String() },
	back: func(data []byte) (Spin, error) {
		var text string
		if err := json.Unmarshal(data, &text); err != nil {
			return Spin{}, err
		}
		return parseSpin(text)
	},
}
