package page

import (
	"fmt"
	"math"
)

// darkColors maps the colors of drawings on white to those on dark pages. A mode has the same two
// colors in figures and tables, see page.css.
var darkColors = []struct{ light, dark string }{
	{"#FFFFFF", "#15181C"}, // paper
	{"#222222", "#E6E8EB"}, // text
	{"#0072B2", "#56B4E9"}, // data
	{"#D55E00", "#F28E3C"}, // poll
	{"#3C9BD6", "#9AD4F5"}, // counter
	{"#CC79A7", "#E0A0C4"}, // adaptive
	{"#005A41", "#2CC295"}, // event
	{"#B00000", "#FF8A80"}, // errors
	{"#005585", "#56B4E9"}, // small text about the modes, in the same order
	{"#9F4600", "#F28E3C"},
	{"#2D74A0", "#9AD4F5"},
	{"#995A7D", "#E0A0C4"},
	{"#004330", "#2CC295"},
}

// Dark returns the color "#RRGGBB" that replaces hex on dark pages. A color of the table that is
// mixed with white becomes the same mixture with dark paper. Other colors are unknown.
func Dark(hex string) (dark string, known bool) {
	c, ok := parseHex(hex)
	if !ok {
		return "", false
	}
	paper, _ := parseHex(darkColors[0].dark)
	for _, pair := range darkColors {
		base, _ := parseHex(pair.light)
		share, mixed := whiteIn(c, base)
		if !mixed {
			continue
		}
		to, _ := parseHex(pair.dark)
		for i := range to {
			to[i] += share * (paper[i] - to[i])
		}
		return fmt.Sprintf("#%02X%02X%02X", round(to[0]), round(to[1]), round(to[2])), true
	}
	return "", false
}

// whiteIn returns the fraction of white that was mixed with base to make c, if c is such a mixture.
func whiteIn(c, base [3]float64) (share float64, mixed bool) {
	var room, taken float64
	for i := range c {
		room += 255 - base[i]
		taken += c[i] - base[i]
	}
	if room == 0 {
		return 0, c == base
	}
	share = taken / room
	for i := range c {
		if math.Abs(base[i]+share*(255-base[i])-c[i]) > 1.5 {
			return 0, false
		}
	}
	return share, share > -0.01 && share < 0.99
}

func round(v float64) int { return int(math.Round(math.Min(math.Max(v, 0), 255))) }

func parseHex(hex string) (c [3]float64, ok bool) {
	var r, g, b uint8
	if n, err := fmt.Sscanf(hex, "#%02X%02X%02X", &r, &g, &b); n != 3 || err != nil || len(hex) != 7 {
		return c, false
	}
	return [3]float64{float64(r), float64(g), float64(b)}, true
}
