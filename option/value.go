package option

import (
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"
)

// value is where an option's value is, how it is read, shown and encoded, and which are
// possible.
type value interface {
	set(s *Settings, argument string) error
	text(s *Settings) string
	copy(to, from *Settings)
	check(s *Settings) error
	encode(s *Settings) any
	decode(s *Settings, data []byte) error
}

// of is a value of type T.
type of[T any] struct {
	at    func(*Settings) *T
	parse func(argument string) (T, error)
	show  func(T) string
	legal func(T) error // nil: all are
	json  func(T) any   // nil: as it is
	back  func([]byte) (T, error)
}

func (v of[T]) set(s *Settings, argument string) error {
	x, err := v.parse(argument)
	if err == nil && v.legal != nil {
		err = v.legal(x)
	}
	if err == nil {
		*v.at(s) = x
	}
	return err
}

func (v of[T]) text(s *Settings) string { return v.show(*v.at(s)) }

func (v of[T]) copy(to, from *Settings) { *v.at(to) = *v.at(from) }

// check lets a test's default pass: that is how nothing is said.
func (v of[T]) check(s *Settings) error {
	plain := New(s.Test)
	if v.legal == nil || v.text(s) == v.text(&plain) {
		return nil
	}
	return v.legal(*v.at(s))
}

func (v of[T]) encode(s *Settings) any {
	if v.json != nil {
		return v.json(*v.at(s))
	}
	return *v.at(s)
}

func (v of[T]) decode(s *Settings, data []byte) (err error) {
	x := *v.at(s)
	if v.back != nil {
		x, err = v.back(data)
	} else {
		err = json.Unmarshal(data, &x)
	}
	if err == nil {
		*v.at(s) = x
	}
	return err
}

// toggle is an option without an argument.
func toggle(at func(*Settings) *bool) value {
	return of[bool]{at: at, show: strconv.FormatBool, parse: func(text string) (bool, error) {
		switch text {
		case "true", "false":
			return text == "true", nil
		}
		return false, errors.New("it takes no argument, but for =false")
	}}
}

// number is a whole number from least to most.
func number[T int | uint64](at func(*Settings) *T, least, most T) value {
	outside := fmt.Errorf("%d to %d are possible", least, most)
	return of[T]{
		at: at, show: func(n T) string { return fmt.Sprint(n) },
		parse: func(text string) (T, error) {
			n, err := strconv.ParseInt(text, 10, 64)
			switch {
			case errors.Is(err, strconv.ErrRange), err == nil && n < 0:
				return 0, outside
			case err != nil:
				return 0, fmt.Errorf("write a whole number from %d to %d", least, most)
			}
			return T(n), nil
		},
		legal: func(n T) error {
			if n < least || n > most {
				return outside
			}
			return nil
		},
	}
}

// numberOr is a number that is decided later while it is unset.
func numberOr[T int | uint64](at func(*Settings) *T, unset, least, most T) value {
	v := number(at, least, most).(of[T])
	plain := v.show
	v.show = func(n T) string {
		if n == unset {
			return ""
		}
		return plain(n)
	}
	return v
}

// positive is a number above 0, which is not set while it is 0.
func positive(at func(*Settings) *float64) value {
	syntax := errors.New("write a number above 0")
	return of[float64]{at: at,
		parse: func(text string) (float64, error) {
			x, err := strconv.ParseFloat(text, 64)
			if err != nil {
				return 0, syntax
			}
			return x, nil
		},
		show: func(x float64) string {
			if x == 0 {
				return ""
			}
			return strconv.FormatFloat(x, 'f', -1, 64)
		},
		legal: func(x float64) error {
			if !(x > 0) || math.IsInf(x, 0) {
				return syntax
			}
			return nil
		},
	}
}

// intsOrNil reads a list of numbers; an empty one is nil.
func intsOrNil(data []byte) (list []int, err error) {
	if err := json.Unmarshal(data, &list); err != nil || len(list) == 0 {
		return nil, err
	}
	return list, nil
}

// oneOf is one of a few words; "" is none of them and is decided later.
func oneOf[T ~string](at func(*Settings) *T, words ...T) value {
	legal := func(w T) error {
		if !slices.Contains(words, w) {
			return errors.New("choose " + choice(words))
		}
		return nil
	}
	return of[T]{at: at, legal: legal, show: func(w T) string { return string(w) },
		parse: func(text string) (T, error) { return T(text), nil }}
}

// choice lists words: "a, b or c".
func choice[T ~string](words []T) string {
	texts := make([]string, len(words))
	for i, w := range words {
		texts[i] = string(w)
	}
	last := len(texts) - 1
	return strings.Join(texts[:last], ", ") + " or " + texts[last]
}

// text is any text but an empty one.
func text(at func(*Settings) *string, legal func(string) error) value {
	return of[string]{at: at, show: func(s string) string { return s }, parse: func(text string) (string, error) { return text, nil },
		legal: func(s string) error {
			if s == "" {
				return errors.New("must not be empty")
			}
			if legal == nil {
				return nil
			}
			return legal(s)
		}}
}

// duration is a time from least to most. A plain number on a command line counts unit.
func duration(at func(*Settings) *time.Duration, unit, least, most time.Duration) value {
	return of[time.Duration]{at: at,
		parse: func(text string) (time.Duration, error) { return parseTime(text, unit) },
		show: func(d time.Duration) string {
			if d == 0 {
				return ""
			}
			return strconv.FormatFloat(float64(d)/float64(unit), 'f', -1, 64)
		},
		legal: func(d time.Duration) error {
			if d < least || d > most {
				return fmt.Errorf("%v to %v are possible", least, most)
			}
			return nil
		},
	}
}
