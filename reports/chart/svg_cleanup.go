package chart

import (
	"bytes"
	"math"
	"regexp"
	"strconv"
)

// cleanUp makes gonum's drawing smaller and independent of installed fonts.
func cleanUp(drawing []byte) []byte { return shortNumbers(joinStrokes(setFont(drawing))) }

// setFont sets the font once for all texts. Viewers without Liberation Sans use one of the fonts
// with the same metrics that setFont adds.
func setFont(drawing []byte) []byte {
	const plain = "font-family:Liberation Sans;font-variant:normal;font-weight:normal;font-style:normal;"
	const bold = "font-family:Liberation Sans;font-variant:normal;font-weight:bold;font-style:normal;"
	drawing = bytes.ReplaceAll(drawing, []byte(plain), nil)
	drawing = bytes.ReplaceAll(drawing, []byte(bold), []byte("font-weight:bold;"))
	return bytes.Replace(drawing, []byte("<g "), []byte(`<g font-family="'Liberation Sans',Arial,Helvetica,sans-serif" `), 1)
}

// stroked matches a line of a drawing that is a path without a fill: its data and its style.
var stroked = regexp.MustCompile(`^<path d="([^"]*)" style="(fill:none;[^"]*)" />\n$`)

// joinStrokes joins consecutive paths of one style, such as the lines of the grid, into one path,
// which makes the drawing smaller.
func joinStrokes(drawing []byte) []byte {
	var all, path, style []byte
	flush := func() {
		if len(path) > 0 {
			all = append(append(append(append(append(all, `<path d="`...), path...), `" style="`...), style...), "\" />\n"...)
		}
		path = nil
	}
	for line := range bytes.Lines(drawing) {
		m := stroked.FindSubmatch(line)
		if m == nil || !bytes.Equal(m[2], style) {
			flush()
		}
		if m == nil {
			all = append(all, line...)
			continue
		}
		path, style = append(path, m[1]...), m[2]
	}
	flush()
	return all
}

var (
	coordinates = regexp.MustCompile(`\b(?:d|x|y)="[^"]*"`)
	decimal     = regexp.MustCompile(`-?\d+\.\d{2,}`)
)

// shortNumbers rounds coordinates in a drawing to one decimal, a tenth of a point.
func shortNumbers(drawing []byte) []byte {
	return coordinates.ReplaceAllFunc(drawing, func(attribute []byte) []byte {
		return decimal.ReplaceAllFunc(attribute, func(number []byte) []byte {
			v, err := strconv.ParseFloat(string(number), 64)
			if err != nil {
				return number
			}
			return strconv.AppendFloat(nil, math.Round(10*v)/10, 'f', -1, 64)
		})
	})
}
