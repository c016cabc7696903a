package chart

import (
	"fmt"
	"image/color"
)

// The colors of text, axes and areas.
var (
	Ink   = color.Gray{Y: 0x22} // main text
	Quiet = color.Gray{Y: 0x55} // other text, and axes
	Faint = color.Gray{Y: 0xDD} // the grid
	Shade = color.Gray{Y: 0xEE} // areas behind lines
	Noise = color.Gray{Y: 0xD0} // areas on these
	Paper = color.Gray{Y: 0xFF}
	red   = color.NRGBA{R: 0xB0, A: 0xFF} // of errors
)

// The colors of data, from Okabe and Ito's palette, which is distinguishable with any kind of color
// vision. Green is darker than theirs, so that all but Sky and Purple differ in grey, too.
var (
	Blue       = color.NRGBA{R: 0x00, G: 0x72, B: 0xB2, A: 0xFF}
	Vermillion = color.NRGBA{R: 0xD5, G: 0x5E, B: 0x00, A: 0xFF}
	Sky        = color.NRGBA{R: 0x3C, G: 0x9B, B: 0xD6, A: 0xFF} // darker than theirs, for contrast with paper
	Purple     = color.NRGBA{R: 0xCC, G: 0x79, B: 0xA7, A: 0xFF}
	Green      = color.NRGBA{R: 0x00, G: 0x5A, B: 0x41, A: 0xFF}
	Slate      = color.NRGBA{R: 0x44, G: 0x44, B: 0x44, A: 0xFF} // of no mode
)

// tinted lists the colors that [Tint] is used with.
var tinted = []color.NRGBA{Blue, Vermillion, Sky, Purple, Green, Slate}

// tints lists the fraction of white that each step of [Tint] adds.
var tints = []float64{0, 0.35, 0.65, 0.8}

// Tint returns a color made lighter by up to three steps.
func Tint(c color.NRGBA, steps int) color.NRGBA {
	white := tints[min(steps, len(tints)-1)]
	mix := func(v uint8) uint8 { return v + uint8(float64(255-v)*white) }
	return color.NRGBA{R: mix(c.R), G: mix(c.G), B: mix(c.B), A: c.A}
}

// Text returns a color of data, darkened for small text on paper.
func Text(c color.NRGBA) color.NRGBA {
	const share = 0.75
	dim := func(v uint8) uint8 { return uint8(float64(v) * share) }
	return color.NRGBA{R: dim(c.R), G: dim(c.G), B: dim(c.B), A: c.A}
}

// Colors returns all colors that a figure may have, as SVG writes them: "#0072B2". Only tests call
// it: pages replace colors, and figures have no other ones.
func Colors() []string {
	all := []color.Color{Ink, Quiet, Faint, Shade, Noise, Paper, red}
	for _, c := range tinted {
		for steps := range tints {
			all = append(all, Tint(c, steps))
		}
		all = append(all, Text(c))
	}
	var texts []string
	for _, c := range all {
		r, g, b, _ := c.RGBA()
		texts = append(texts, fmt.Sprintf("#%02X%02X%02X", r>>8, g>>8, b>>8))
	}
	return texts
}
