package phrase

import (
	"math"
	"strconv"
)

// A Span is the range from the smallest to the largest of some numbers.
type Span struct {
	Min, Max float64
	N        int
}

// Add extends the span to v.
func (s *Span) Add(v float64) {
	if s.N == 0 {
		s.Min, s.Max = v, v
	}
	s.Min, s.Max = min(s.Min, v), max(s.Max, v)
	s.N++
}

// Text formats a span: "70-100", or one number.
func (s Span) Text(print func(float64) string, between string) string {
	if a, b := print(s.Min), print(s.Max); a != b {
		return a + between + b
	}
	return print(s.Min)
}

// PercentNumber formats a fraction as whole percents, and with two digits below 10.
func PercentNumber(part float64) string {
	if v := 100 * part; v < 9.95 {
		return strconv.FormatFloat(v, 'g', 2, 64)
	}
	return strconv.FormatFloat(100*part, 'f', 0, 64)
}

// WakeUpNumber formats a number of wake-ups per message with two digits.
func WakeUpNumber(v float64) string {
	if v == 0 || v >= 1 {
		return strconv.FormatFloat(v, 'f', 1, 64)
	}
	return strconv.FormatFloat(v, 'f', 1-int(math.Floor(math.Log10(v))), 64)
}
