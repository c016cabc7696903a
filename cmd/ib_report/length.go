package main

import (
	"errors"
	"regexp"
	"strconv"
)

// perInch has the units of lengths on a command line.
var perInch = map[string]float64{"in": 1, "cm": 2.54, "mm": 25.4, "pt": 72}

var (
	sizeSyntax = regexp.MustCompile(`^(\d{1,5}(?:\.\d{1,5})?)x(\d{1,5}(?:\.\d{1,5})?)(in|cm|mm|pt)$`)
	fontSyntax = regexp.MustCompile(`^(\d{1,5}(?:\.\d{1,5})?)pt$`)
)

// The limits of figures in inches, from one that has room for axes to a poster, and of letters in points.
const (
	minSide, maxSide = 1, 50
	minFont, maxFont = 4, 72
)

// parseSize parses width and height, as 3.4x2.2in, and returns them in inches.
func parseSize(text string) (width, height float64, err error) {
	m := sizeSyntax.FindStringSubmatch(text)
	if m == nil {
		return 0, 0, errors.New("write WIDTHxHEIGHT and in, cm, mm or pt, such as 3.4x2.2in")
	}
	width, height = number(m[1])/perInch[m[3]], number(m[2])/perInch[m[3]]
	if min(width, height) < minSide || max(width, height) > maxSide {
		return 0, 0, errors.New("1in to 50in are possible for each side")
	}
	return width, height, nil
}

// parseFont parses the size of letters, as 8pt, and returns it in points.
func parseFont(text string) (float64, error) {
	m := fontSyntax.FindStringSubmatch(text)
	if m == nil {
		return 0, errors.New("write a number of points, such as 8pt")
	}
	size := number(m[1])
	if size < minFont || size > maxFont {
		return 0, errors.New("4pt to 72pt are possible")
	}
	return size, nil
}

// number returns the value of digits with at most one point between them.
func number(digits string) float64 {
	v, _ := strconv.ParseFloat(digits, 64) // the syntax was checked
	return v
}
