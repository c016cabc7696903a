// Package units prints numbers in the units that people read.
package units

import (
	"math"
	"strconv"
)

// Size prints a number of bytes as sizes are given on the command line: 8, 4K,
// 64K, 1M with binary multiples, and plain where no multiple is exact.
func Size(bytes int) string {
	suffixes := []string{"", "K", "M", "G"}
	i := 0
	for i < len(suffixes)-1 && bytes >= 1024 && bytes%1024 == 0 {
		bytes /= 1024
		i++
	}
	return strconv.Itoa(bytes) + suffixes[i]
}

// Usec converts nanoseconds to microseconds.
func Usec(ns float64) float64 { return Finite(ns) / 1e3 }

// MiBps converts bytes per second to MiB/s, of 2^20 bytes.
func MiBps(bytesPerSecond float64) float64 { return Finite(bytesPerSecond) / (1 << 20) }

// MiB converts bytes to MiB.
func MiB(bytes float64) float64 { return Finite(bytes) / (1 << 20) }

// Gbps converts bytes per second to Gb/s, of 10^9 bits.
func Gbps(bytesPerSecond float64) float64 { return Finite(bytesPerSecond) / 1.25e8 }

// Mpps converts messages per second to millions of them.
func Mpps(messagesPerSecond float64) float64 { return Finite(messagesPerSecond) / 1e6 }

// Measurable bounds every number of a result file. In nanoseconds it is 30
// years, in bytes per second a million times what any memory does.
const Measurable = 1e18

// Finite keeps a number that nothing can have measured out of every table and
// plot: such a number would be no use there and make axes overflow.
func Finite(v float64) float64 {
	if math.IsNaN(v) || math.Abs(v) > Measurable {
		return 0
	}
	return v
}

// UsecDecimals returns how many decimals a latency in microseconds gets: three
// below 10 usec, where a tenth of a microsecond matters. The choice looks at the
// rounded number, so that 9.9996 is printed as 10.00 and not as 10.000.
func UsecDecimals(ns float64) int {
	if math.Round(Finite(ns)) < 10000 {
		return 3
	}
	return 2
}

// UsecText prints nanoseconds as microseconds.
func UsecText(ns float64) string {
	return strconv.FormatFloat(Usec(ns), 'f', UsecDecimals(ns), 64)
}

// NsText prints nanoseconds: whole ones from 100, with one decimal below.
func NsText(ns float64) string { return steppedText(Finite(ns)) }

// Rate converts bytes per second to the unit of the report.
func Rate(bytesPerSecond float64, gbits bool) float64 {
	if gbits {
		return Gbps(bytesPerSecond)
	}
	return MiBps(bytesPerSecond)
}

// RateText prints a bandwidth in the unit of the report.
func RateText(bytesPerSecond float64, gbits bool) string {
	if gbits {
		return strconv.FormatFloat(Gbps(bytesPerSecond), 'f', GbitDecimals(bytesPerSecond), 64)
	}
	return strconv.FormatFloat(MiBps(bytesPerSecond), 'f', 2, 64)
}

// RateUnit names the unit of [RateText].
func RateUnit(gbits bool) string {
	if gbits {
		return "Gb/s"
	}
	return "MiB/s"
}

// GbitDecimals gives slow links six decimals: below 0.1 Gb/s two show nothing.
func GbitDecimals(bytesPerSecond float64) int {
	if Gbps(bytesPerSecond) < 0.1 {
		return 6
	}
	return 2
}

// RatioText prints v as a multiple of base, and "-" where base is nothing to
// compare with.
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

// steppedText gives a number one decimal where it would have less than three
// digits without.
func steppedText(v float64) string {
	if math.Round(v*10) < 1000 {
		return strconv.FormatFloat(v, 'f', 1, 64)
	}
	return strconv.FormatFloat(v, 'f', 0, 64)
}
