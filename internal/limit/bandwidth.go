package limit

import (
	"errors"
	"strconv"
	"strings"
)

// Bandwidth is the smallest legal bandwidth: a rate, or a share of the rate of the link. The zero value is no limit.
type Bandwidth struct {
	Rate  float64 // Gb/s; 0: a share
	Share float64 // up to 1; 0: a rate
}

// maxRate is beyond every bandwidth, in Gb/s.
const maxRate = 1e9

// bytesPerGb is the number of bytes of a gigabit.
const bytesPerGb = 1e9 / 8

// Given reports whether there is a limit.
func (b Bandwidth) Given() bool { return b != Bandwidth{} }

// BytesPerS returns the limit in bytes per second, given the rate of the link in that unit.
func (b Bandwidth) BytesPerS(link float64) float64 { return b.Rate*bytesPerGb + b.Share*link }

// String returns the limit as a command line has it; empty: none.
func (b Bandwidth) String() string {
	switch {
	case b.Share > 0:
		return Percent(b.Share)
	case b.Rate > 0:
		return strconv.FormatFloat(b.Rate, 'f', -1, 64) + "G"
	}
	return ""
}

// ParseBandwidth parses a number of Gb/s, such as 350G, 350Gb/s or 350, or a percentage of the rate of the link.
func ParseBandwidth(text string) (Bandwidth, error) {
	if strings.HasSuffix(text, "%") {
		share, err := ParsePercent(text)
		return Bandwidth{Share: share}, err
	}
	rate, err := ParseRate(text)
	return Bandwidth{Rate: rate}, err
}

// ParseRate parses a number of Gb/s, such as 350G, 350Gb/s or 350.
func ParseRate(text string) (gbps float64, err error) {
	number, found := strings.CutSuffix(text, "Gb/s")
	if !found {
		number = strings.TrimSuffix(text, "G")
	}
	v, err := strconv.ParseFloat(number, 64)
	if err != nil || !(v > 0 && v < maxRate) {
		return 0, errors.New("write a number of Gb/s above 0, such as 350G")
	}
	return v, nil
}
