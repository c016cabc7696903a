// Package units converts numbers from SI units to those of reports, and formats them.
package units

import (
	"math"
	"strconv"
)

// Size formats a number of bytes as sizes are given on the command line: 8, 4K, 64K, 1M with binary
// multiples, and plain if no multiple is exact.
func Size(bytes int) string {
	suffixes := []string{"", "K", "M", "G"}
	i := 0
	for i < len(suffixes)-1 && bytes >= 1024 && bytes%1024 == 0 {
		bytes /= 1024
		i++
	}
	return strconv.Itoa(bytes) + suffixes[i]
}

// Count formats a count as 12,345,678.
func Count(n uint64) string {
	text := strconv.FormatUint(n, 10)
	for i := len(text) - 3; i > 0; i -= 3 {
		text = text[:i] + "," + text[i:]
	}
	return text
}

// Usec converts nanoseconds to microseconds.
func Usec(ns float64) float64 { return Finite(ns) / 1e3 }

// MiBps converts bytes per second to MiB/s, of 2^20 bytes.
func MiBps(bytesPerSecond float64) float64 { return Finite(bytesPerSecond) / (1 << 20) }

// MiB converts bytes to MiB.
func MiB(bytes float64) float64 { return Finite(bytes) / (1 << 20) }

// Gbps converts bytes per second to Gb/s, of 10^9 bits.
func Gbps(bytesPerSecond float64) float64 { return Finite(bytesPerSecond) / 1.25e8 }

// Mpps converts messages per second to millions of messages per second.
func Mpps(messagesPerSecond float64) float64 { return Finite(messagesPerSecond) / 1e6 }

// Measurable is the upper bound of every number in a result file: 30 years in nanoseconds, and a
// million times the bandwidth of any memory in bytes per second.
const Measurable = 1e18

// Finite returns v, or 0 if no measurement can have given v. Such a number would make the axes of
// plots overflow.
func Finite(v float64) float64 {
	if math.IsNaN(v) || math.Abs(v) > Measurable {
		return 0
	}
	return v
}

// UsecDecimals returns the number of decimals of a latency in microseconds: three below 10 usec, else
// two. The rounded number decides, so that 9.9996 is printed as 10.00 and not as 10.000.
func UsecDecimals(ns float64) int {
	if math.Round(Finite(ns)) < 10000 {
		return 3
	}
	return 2
}

// UsecText formats nanoseconds as microseconds.
func UsecText(ns float64) string {
	return strconv.FormatFloat(Usec(ns), 'f', UsecDecimals(ns), 64)
}

// NsText formats nanoseconds, with one decimal below 100.
func NsText(ns float64) string { return steppedText(Finite(ns)) }

// Rate converts bytes per second to the unit of the report.
func Rate(bytesPerSecond float64, gbits bool) float64 {
	if gbits {
		return Gbps(bytesPerSecond)
	}
	return MiBps(bytesPerSecond)
}

// RateText formats a bandwidth in the unit of the report.
func RateText(bytesPerSecond float64, gbits bool) string {
	if gbits {
		return strconv.FormatFloat(Gbps(bytesPerSecond), 'f', GbitDecimals(bytesPerSecond), 64)
	}
	return strconv.FormatFloat(MiBps(bytesPerSecond), 'f', 2, 64)
}

// RateUnit returns the unit of [RateText].
func RateUnit(gbits bool) string {
	if gbits {
		return "Gb/s"
	}
	return "MiB/s"
}

// GbitDecimals returns the number of decimals of a bandwidth in Gb/s: six below 0.1 Gb/s, where two
// would show nothing, else two.
func GbitDecimals(bytesPerSecond float64) int {
	if Gbps(bytesPerSecond) < 0.1 {
		return 6
	}
	return 2
}

// RatioText formats v as a multiple of base, or "-" if base is 0.
func RatioText(v, base float64) string {
	v, base = Finite(v), Finite(base)
	if base <= 0 {
		return "-"
	}
	ratio := Finite(v / base)
	if math.Round(ratio*100) < 10000 {
		return strconv.FormatFloat(ratio, 'f', 2, 64) + "x"
	}
	return strconv.FormatFloat(ratio, 'f', 0, 64) + "x"
}

// steppedText formats a number with one decimal if it would have fewer than three digits without.
func steppedText(v float64) string {
	if math.Round(v*10) < 1000 {
		return strconv.FormatFloat(v, 'f', 1, 64)
	}
	return strconv.FormatFloat(v, 'f', 0, 64)
}
