package cli

import (
	"errors"
	"fmt"
	"math"
	"strconv"
	"time"

	"github.com/ibperf/ibperf/harness"
)

// value is an option's value: a pflag.Value made of a reader and of what shows
// the value at present.
type value struct {
	set  func(text string) error
	show func() string
	kind string
}

// Set, String and Type make a value a pflag.Value.
func (v *value) Set(text string) error { return v.set(text) }
func (v *value) String() string        { return v.show() }
func (v *value) Type() string          { return v.kind }

// valueOf makes a value that parse reads into p.
func valueOf[T any](p *T, kind string, parse func(text string) (T, error)) *value {
	return &value{
		set: func(text string) (err error) {
			v, err := parse(text)
			if err == nil {
				*p = v
			}
			return err
		},
		show: func() string { return fmt.Sprint(*p) },
		kind: kind,
	}
}

// count is a whole number from least to most, in decimal digits: a leading zero
// makes it no octal number.
func count[T int | uint64](p *T, least, most T) *value {
	return valueOf(p, "n", func(text string) (T, error) {
		n, err := strconv.ParseInt(text, 10, 64)
		if err != nil && !errors.Is(err, strconv.ErrRange) {
			return 0, fmt.Errorf("write a whole number from %d to %d", least, most)
		}
		if n < 0 || T(n) < least || T(n) > most {
			return 0, fmt.Errorf("%d to %d are possible", least, most)
		}
		return T(n), nil
	})
}

// seconds is a time of at least the given seconds: plain seconds with or without
// a fraction, or a number with a unit such as 500ms.
func seconds(p *time.Duration, least float64) *value {
	return valueOf(p, "seconds", func(text string) (time.Duration, error) {
		s, err := parseSeconds(text)
		if err == nil && (s < least || s > maxSeconds) {
			err = fmt.Errorf("%v to %d seconds are possible", least, maxSeconds)
		}
		return time.Duration(math.Round(s * float64(time.Second))), err
	})
}

// maxSeconds keeps times well within a time.Duration.
const maxSeconds = 1000 * 3600

func parseSeconds(text string) (float64, error) {
	if d, err := time.ParseDuration(text); err == nil {
		return d.Seconds(), nil
	}
	s, err := strconv.ParseFloat(text, 64)
	if err != nil && !errors.Is(err, strconv.ErrRange) || math.IsNaN(s) {
		return 0, errors.New("write seconds as 10 or 0.5, or with a unit as 500ms")
	}
	return s, nil
}

// modes are the completion modes in the order of their mention.
var modes = []harness.Mode{harness.ModeAuto, harness.ModeData, harness.ModePoll, harness.ModeEvent}

// mode is a completion mode.
func mode(p *harness.Mode) *value {
	return valueOf(p, "mode", func(text string) (harness.Mode, error) {
		for _, m := range modes {
			if text == string(m) {
				return m, nil
			}
		}
		return "", errors.New("choose auto, data, poll or event")
	})
}

// word is a text that must not be empty.
func word(p *string, kind string) *value {
	return valueOf(p, kind, func(text string) (string, error) {
		if text == "" {
			return "", errors.New("must not be empty")
		}
		return text, nil
	})
}
