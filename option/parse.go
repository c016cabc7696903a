package option

import (
	"errors"
	"fmt"
	"math"
	"net/netip"
	"slices"
	"strconv"
	"strings"
	"time"
)

// parseC parses a whole number as C and perftest do: 96, 0x60 or 0140.
func parseC(text string) (int64, error) {
	if strings.Contains(text, "_") || len(text) > 1 && strings.Contains("bBoO", text[1:2]) { // Go's numbers, not C's
		return 0, strconv.ErrSyntax
	}
	return strconv.ParseInt(text, 0, 64)
}

// leadingNumber returns the number at the beginning of a text as strtof of C does, and whether there is one.
func leadingNumber(text string) (x float64, is bool) {
	if n, err := parseC(text); err == nil {
		return float64(n), true
	}
	for end := len(text); end > 0; end-- {
		if x, err := strconv.ParseFloat(text[:end], 64); err == nil {
			return x, true
		}
	}
	return 0, false
}

// parseTime parses a number of units, with or without a fraction, or a time with its own unit such as
// 500ms or 3d.
func parseTime(text string, unit time.Duration) (time.Duration, error) {
	if d, err := time.ParseDuration(text); err == nil && text != "0" {
		return d, nil
	}
	number, scale := text, unit
	if n, err := parseC(text); err == nil {
		number = strconv.FormatInt(n, 10)
	}
	if days, is := strings.CutSuffix(text, "d"); is {
		number, scale = days, 24*time.Hour
	}
	n, err := strconv.ParseFloat(number, 64)
	if err != nil && !errors.Is(err, strconv.ErrRange) || math.IsNaN(n) {
		return 0, fmt.Errorf("write %s as 10 or 0.5, or with a unit as 500ms or 3d", unitNames[unit])
	}
	const far = math.MaxInt64 / 2 // out of any range
	return time.Duration(math.Round(max(-far, min(n*float64(scale), far)))), nil
}

var unitNames = map[time.Duration]string{time.Second: "seconds", time.Microsecond: "microseconds"}

// parsePercent parses a percentage, with or without the % sign.
func parsePercent(text string) (float64, error) {
	n, err := strconv.ParseFloat(strings.TrimSuffix(text, "%"), 64)
	if err != nil {
		return 0, errPercent
	}
	return n / 100, nil
}

var errPercent = errors.New("write a percentage above 0 and below 100, such as 3%")

// maxCPU is the largest CPU number in a cpu_set_t.
const maxCPU = 1023

// ParseCPUs parses numbers and ranges of CPUs with commas between them, and keeps their order.
func ParseCPUs(text string) (cpus []int, err error) {
	for part := range strings.SplitSeq(text, ",") {
		first, last, isRange := strings.Cut(part, "-")
		if !isRange {
			last = first
		}
		from, err1 := strconv.ParseUint(first, 10, 32)
		to, err2 := strconv.ParseUint(last, 10, 32)
		if err1 != nil || err2 != nil || from > to || to > maxCPU {
			return nil, fmt.Errorf("write CPUs from 0 to %d as 0-3,8", maxCPU)
		}
		for cpu := int(from); cpu <= int(to); cpu++ {
			if slices.Contains(cpus, cpu) {
				return nil, fmt.Errorf("CPU %d is listed twice", cpu)
			}
			cpus = append(cpus, cpu)
		}
	}
	return cpus, nil
}

func parseAddress(text string) error {
	if _, err := netip.ParseAddr(text); err != nil {
		return errors.New("write an IPv4 or IPv6 address of this host")
	}
	return nil
}

// sizeUnits are the suffixes of sizes, upper case as in perftest.
var sizeUnits = map[byte]uint64{'K': 1 << 10, 'M': 1 << 20, 'G': 1 << 30}

// parseSizes parses message sizes with commas between them.
func parseSizes(text string) ([]int, error) {
	var sizes []int
	for part := range strings.SplitSeq(text, ",") {
		n, err := parseSize(part)
		if err != nil {
			return nil, err
		}
		sizes = append(sizes, n)
	}
	return sizes, nil
}

// parseSize parses a number of bytes, or of KiB with K, MiB with M, GiB with G. It refuses trailing
// characters; perftest takes "64k" for 64 bytes.
func parseSize(text string) (int, error) {
	digits, unit := text, uint64(1)
	if n := len(text); n > 0 && sizeUnits[text[n-1]] != 0 {
		digits, unit = text[:n-1], sizeUnits[text[n-1]]
	}
	n, err := parseC(digits)
	switch {
	case errors.Is(err, strconv.ErrRange), err == nil && n > math.MaxInt64/int64(unit):
		return math.MaxInt64, nil // out of any range
	case err != nil || n < 0:
		return 0, sizeSyntax(text)
	}
	return int(n) * int(unit), nil
}

// sizeSyntax returns the error of a malformed size, with how to write it.
func sizeSyntax(text string) error {
	meant := strings.ToUpper(strings.TrimSpace(text))
	if meant == text {
		return errors.New("write bytes, or KiB as 64K, MiB as 1M, GiB as 1G")
	}
	n, err := parseSize(meant)
	if err != nil {
		return err
	}
	if bytes := strconv.Itoa(n); bytes != meant {
		return fmt.Errorf("write %s or %s", meant, bytes)
	}
	return fmt.Errorf("write %s", meant)
}

func legalSize(n int) error {
	if n < 1 || n > MaxSize {
		return fmt.Errorf("message sizes are 1 to %d bytes", MaxSize)
	}
	return nil
}

func legalSizes(sizes []int) error {
	if len(sizes) == 0 || len(sizes) > maxSizes {
		return fmt.Errorf("%d message sizes: 1 to %d are possible", len(sizes), maxSizes)
	}
	for _, n := range sizes {
		if err := legalSize(n); err != nil {
			return err
		}
	}
	return nil
}

// joined returns numbers with commas between them.
func joined(sizes []int) string {
	texts := make([]string, len(sizes))
	for i, n := range sizes {
		texts[i] = strconv.Itoa(n)
	}
	return strings.Join(texts, ",")
}
