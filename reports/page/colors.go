package page

import (
	"fmt"
	"math"
)

// darkColors are the colours of drawings on white, and what stands for them on dark pages.
// A mode has the same two in figures and tables, see page.css.
var darkColors = []struct{ light, dark string }{
	{"#FFFFFF", "#15181C"}, // paper
	{"#222222", "#E6E8EB"}, // text
	{"#0072B2", "#56B4E9"}, // data
	{"#D55E00", "#F28E3C"}, // poll
	{"#009E73", "#2CC295"}, // event
	{"#B00000", "#FF8A80"}, // what is wrong
	{"#005585", "#56B4E9"}, // small text about data, poll and event
	{"#9F4600", "#F28E3C"},
	{"#007656", "#2CC295"},
	{"#56B4E9", "#A6D8F7"}, // what is no mode, from here on
	{"#CC79A7", "#E3A6C6"},
	{"#E69F00", "#F3C65A"},
	{"#5E3C99", "#B197E6"},
}

// Dark returns the colour "#RRGGBB" that stands for another on dark pages: of a colour
// that was mixed with white, the same mixture with dark paper. It is not known of colours
// that are made of none in the table.
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

// whiteIn tells how much white makes c of base, if it does.
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
