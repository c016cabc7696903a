package phrase

import "strconv"

// PerSecond formats a number of events per second with three digits: "950", "12.5k", "1.2M".
func PerSecond(v float64) string {
	unit := ""
	switch {
	case v >= 999_500:
		v, unit = v/1e6, "M"
	case v >= 1000:
		v, unit = v/1e3, "k"
	}
	text := strconv.FormatFloat(v, 'g', 3, 64)
	if v >= 100 {
		text = strconv.FormatFloat(v, 'f', 0, 64)
	}
	return text + unit
}
