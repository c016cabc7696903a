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

// value accesses an option's value in the settings: it parses, checks, shows and encodes it.
type value interface {
	set(s *Settings, argument string) error
	text(s *Settings) string
	copy(to, from *Settings)
	check(s *Settings) error
	encode(s *Settings) any
	decode(s *Settings, data []byte) error
}

// valueOf is a value of type T.
type valueOf[T any] struct {
	at    func(*Settings) *T
	parse func(argument string) (T, error)
	show  func(T) string
	legal func(T) error           // nil: all values are legal
	words []string                // the only legal values; nil: others are legal too
	json  func(T) any             // returns the value to encode; nil: the value itself
	back  func([]byte) (T, error) // decodes what json returned; nil: as encoding/json does
}

func (v valueOf[T]) set(s *Settings, argument string) error {
	x, err := v.parse(argument)
	if err == nil && v.legal != nil {
		err = v.legal(x)
	}
	if err == nil {
		*v.at(s) = x
	}
	return err
}

func (v valueOf[T]) text(s *Settings) string { return v.show(*v.at(s)) }

// Choices returns the words of which the option takes one; nil: it takes other arguments, or none.
func (o *Option) Choices() []string {
	if v, is := o.value.(interface{ choices() []string }); is {
		return v.choices()
	}
	return nil
}

func (v valueOf[T]) choices() []string { return v.words }

func (v valueOf[T]) copy(to, from *Settings) { *v.at(to) = *v.at(from) }

// check accepts the test's default, which may be outside of the range of given values.
func (v valueOf[T]) check(s *Settings) error {
	plain := New(s.Test)
	if v.legal == nil || v.text(s) == v.text(&plain) {
		return nil
	}
	return v.legal(*v.at(s))
}

func (v valueOf[T]) encode(s *Settings) any {
	if v.json != nil {
		return v.json(*v.at(s))
	}
	return *v.at(s)
}

func (v valueOf[T]) decode(s *Settings, data []byte) (err error) {
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

// toggle returns a value for an option without an argument.
func toggle(at func(*Settings) *bool) value {
	return valueOf[bool]{at: at, show: strconv.FormatBool, parse: func(text string) (bool, error) {
		switch text {
		case "true", "false":
			return text == "true", nil
		}
		return false, errors.New("it takes no argument except =false")
	}}
}

// number returns a value for a whole number from minimum to maximum.
func number[T int | uint64](at func(*Settings) *T, minimum, maximum T) value {
	outside := fmt.Errorf("%d to %d are possible", minimum, maximum)
	return valueOf[T]{
		at: at, show: func(n T) string { return fmt.Sprint(n) },
		parse: func(text string) (T, error) {
			n, err := parseC(text)
			switch {
			case errors.Is(err, strconv.ErrRange), err == nil && n < 0:
				return 0, outside
			case err != nil:
				return 0, fmt.Errorf("write a whole number from %d to %d", minimum, maximum)
			}
			return T(n), nil
		},
		legal: func(n T) error {
			if n < minimum || n > maximum {
				return outside
			}
			return nil
		},
	}
}

// numberOr returns a value for a number that is decided later if it is unset.
func numberOr[T int | uint64](at func(*Settings) *T, unset, minimum, maximum T) value {
	v := number(at, minimum, maximum).(valueOf[T])
	plain := v.show
	v.show = func(n T) string {
		if n == unset {
			return ""
		}
		return plain(n)
	}
	return v
}

// positive returns a value for a number above 0, where 0 is not set. As in perftest, what follows the number is
// ignored.
func positive(at func(*Settings) *float64) value {
	syntax := errors.New("write a number above 0")
	return valueOf[float64]{at: at,
		parse: func(text string) (float64, error) {
			x, is := leadingNumber(text)
			if !is {
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

// intsOrNil decodes a list of numbers; an empty list is nil.
func intsOrNil(data []byte) (list []int, err error) {
	if err := json.Unmarshal(data, &list); err != nil || len(list) == 0 {
		return nil, err
	}
	return list, nil
}

// oneOf returns a value for one of several words; an empty one is decided later.
func oneOf[T ~string](at func(*Settings) *T, words ...T) value {
	legal := func(w T) error {
		if !slices.Contains(words, w) {
			return errors.New("choose " + choice(words))
		}
		return nil
	}
	return valueOf[T]{at: at, legal: legal, words: texts(words), show: func(w T) string { return string(w) },
		parse: func(text string) (T, error) { return T(text), nil }}
}

// choice returns words as "a, b or c".
func choice[T ~string](words []T) string {
	last := len(words) - 1
	return strings.Join(texts(words[:last]), ", ") + " or " + string(words[last])
}

func texts[T ~string](words []T) (all []string) {
	for _, w := range words {
		all = append(all, string(w))
	}
	return all
}

// text returns a value for a text that is not empty.
func text(at func(*Settings) *string, legal func(string) error) value {
	return valueOf[string]{at: at, show: func(s string) string { return s }, parse: func(text string) (string, error) { return text, nil },
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

// duration returns a value for a time from least to most. A number without a unit counts units.
func duration(at func(*Settings) *time.Duration, unit, minimum, maximum time.Duration) value {
	return valueOf[time.Duration]{at: at,
		parse: func(text string) (time.Duration, error) { return parseTime(text, unit) },
		show: func(d time.Duration) string {
			if d == 0 {
				return ""
			}
			return strconv.FormatFloat(float64(d)/float64(unit), 'f', -1, 64)
		},
		legal: func(d time.Duration) error {
			if d < minimum || d > maximum {
				return fmt.Errorf("%v to %v are possible", minimum, maximum)
			}
			return nil
		},
	}
}
