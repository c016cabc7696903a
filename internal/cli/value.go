package cli

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"
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

// microseconds is a time up to most: plain microseconds, as perftest's, or a number with
// a unit such as 1ms.
func microseconds(p *time.Duration, most time.Duration) *value {
	return valueOf(p, "usec", func(text string) (time.Duration, error) {
		d, err := time.ParseDuration(text)
		if us, plain := strconv.ParseFloat(text, 64); plain == nil {
			d, err = time.Duration(min(us, 1e12)*1000), nil
		}
		if err != nil {
			return 0, errors.New("write microseconds as 10, or with a unit as 1ms")
		}
		if d < 0 || d > most {
			return 0, fmt.Errorf("0 to %v are possible", most)
		}
		return d, nil
	})
}

// oneOf is one of a few words.
func oneOf[T ~string](p *T, words ...T) *value {
	return valueOf(p, "word", func(text string) (T, error) {
		if slices.Contains(words, T(text)) {
			return T(text), nil
		}
		var all []string
		for _, w := range words {
			all = append(all, string(w))
		}
		last := len(all) - 1
		return "", fmt.Errorf("choose %s or %s", strings.Join(all[:last], ", "), all[last])
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
