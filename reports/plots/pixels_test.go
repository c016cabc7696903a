package plots

import (
	"image"
	"image/color"
)

// countColor counts the pixels of exactly that colour.
func countColor(img image.Image, want color.Color) int {
	r, g, b, _ := want.RGBA()
	n := 0
	for y := img.Bounds().Min.Y; y < img.Bounds().Max.Y; y++ {
		for x := img.Bounds().Min.X; x < img.Bounds().Max.X; x++ {
			if pr, pg, pb, _ := img.At(x, y).RGBA(); pr == r && pg == g && pb == b {
				n++
			}
		}
	}
	return n
}
