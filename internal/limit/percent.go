package limit

import (
	"errors"
	"strconv"
	"strings"
)

// ParsePercent parses a percentage above 0 and up to 100, with or without the % sign.
func ParsePercent(text string) (share float64, err error) {
	v, err := strconv.ParseFloat(strings.TrimSuffix(text, "%"), 64)
	if err != nil || !(v > 0 && v <= 100) {
		return 0, errors.New("write a percentage above 0 and up to 100, such as 50%")
	}
	return v / 100, nil
}

// Percent returns a share as a command line has it.
func Percent(share float64) string { return strconv.FormatFloat(share*100, 'g', 6, 64) + "%" }
