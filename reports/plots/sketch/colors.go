package sketch

import (
	"fmt"
	"image/color"
)

// The colours of what is not data.
var (
	Ink   = color.Gray{Y: 0x22} // what is read first
	Quiet = color.Gray{Y: 0x55} // other text, and axes
	Faint = color.Gray{Y: 0xDD} // the grid
	Shade = color.Gray{Y: 0xEE} // areas behind lines
	Paper = color.Gray{Y: 0xFF}
	Red   = color.NRGBA{R: 0xB0, A: 0xFF} // of what is wrong
)

// The colours of data: Okabe and Ito's palette, which people with any kind of colour
// vision can tell apart, and one more.
var (
	Blue       = color.NRGBA{R: 0x00, G: 0x72, B: 0xB2, A: 0xFF}
	Vermillion = color.NRGBA{R: 0xD5, G: 0x5E, B: 0x00, A: 0xFF}
	Green      = color.NRGBA{R: 0x00, G: 0x9E, B: 0x73, A: 0xFF}
	SkyBlue    = color.NRGBA{R: 0x56, G: 0xB4, B: 0xE9, A: 0xFF}
	Purple     = color.NRGBA{R: 0xCC, G: 0x79, B: 0xA7, A: 0xFF}
	Orange     = color.NRGBA{R: 0xE6, G: 0x9F, B: 0x00, A: 0xFF}
	Violet     = color.NRGBA{R: 0x5E, G: 0x3C, B: 0x99, A: 0xFF}
)

// tinted are the colours of data that [Tint] is for.
var tinted = []color.NRGBA{Blue, Vermillion, Green}

// tints are how much white each step of [Tint] adds.
var tints = []float64{0, 0.35, 0.65, 0.8}

// Tint returns a colour made lighter by so many steps. There are three; more are the last.
func Tint(c color.NRGBA, steps int) color.NRGBA {
	white := tints[min(steps, len(tints)-1)]
	mix := func(v uint8) uint8 { return v + uint8(float64(255-v)*white) }
	return color.NRGBA{R: mix(c.R), G: mix(c.G), B: mix(c.B), A: c.A}
}

// Text returns a colour of data dark enough for small text on paper.
func Text(c color.NRGBA) color.NRGBA {
	const share = 0.75
	dim := func(v uint8) uint8 { return uint8(float64(v) * share) }
	return color.NRGBA{R: dim(c.R), G: dim(c.G), B: dim(c.B), A: c.A}
}

// Colors returns all colours that figures may have, as they write them: "#0072B2". A page
// may put others in their place.
func Colors() []string {
	all := []color.Color{Ink, Quiet, Faint, Shade, Paper, Red}
	for _, c := range tinted {
		for steps := range tints {
			all = append(all, Tint(c, steps))
		}
		all = append(all, Text(c))
	}
	all = append(all, SkyBlue, Purple, Orange, Violet)
	var texts []string
	for _, c := range all {
		r, g, b, _ := c.RGBA()
		texts = append(texts, fmt.Sprintf("#%02X%02X%02X", r>>8, g>>8, b>>8))
	}
	return texts
}
