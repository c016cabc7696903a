package sketch

import (
	"bytes"
	"errors"
	"math"
	"regexp"
	"strconv"

	"gonum.org/v1/plot/vg/draw"
	"gonum.org/v1/plot/vg/vgsvg"
)

// SVG returns the vector drawing, with what is to be shown under the pointer.
func (s *Sketch) SVG() ([]byte, error) {
	canvas := vgsvg.New(figureWidth, figureHeight)
	spots := s.draw(draw.New(canvas))
	var b bytes.Buffer
	if _, err := canvas.WriteTo(&b); err != nil {
		return nil, err
	}
	drawing := shortNumbers(joinStrokes(setFont(b.Bytes())))
	end := bytes.LastIndex(drawing, []byte("</svg>"))
	if end < 0 {
		return nil, errors.New("the drawing has no end")
	}
	var whole bytes.Buffer
	whole.Write(drawing[:end])
	if len(spots) > 0 {
		if err := writeSpots(&whole, spots); err != nil {
			return nil, err
		}
	}
	whole.Write(drawing[end:])
	return whole.Bytes(), nil
}

// setFont names the font once for all texts, not in each. Viewers without Liberation Sans
// take a font of the same metrics, if told.
func setFont(drawing []byte) []byte {
	const plain = "font-family:Liberation Sans;font-variant:normal;font-weight:normal;font-style:normal;"
	const bold = "font-family:Liberation Sans;font-variant:normal;font-weight:bold;font-style:normal;"
	drawing = bytes.ReplaceAll(drawing, []byte(plain), nil)
	drawing = bytes.ReplaceAll(drawing, []byte(bold), []byte("font-weight:bold;"))
	return bytes.Replace(drawing, []byte("<g "), []byte(`<g font-family="'Liberation Sans',Arial,Helvetica,sans-serif" `), 1)
}

// stroked is a line of a drawing that is a path without an area: what it is, and its style.
var stroked = regexp.MustCompile(`^<path d="([^"]*)" style="(fill:none;[^"]*)" />\n$`)

// joinStrokes makes one path of those that follow each other in one style, such as the
// lines of the grid: a drawing of many figures stays small.
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
	places  = regexp.MustCompile(`\b(?:d|x|y)="[^"]*"`)
	decimal = regexp.MustCompile(`-?\d+\.\d{2,}`)
)

// shortNumbers leaves one decimal of places in a drawing, a tenth of a point.
func shortNumbers(drawing []byte) []byte {
	return places.ReplaceAllFunc(drawing, func(attribute []byte) []byte {
		return decimal.ReplaceAllFunc(attribute, func(number []byte) []byte {
			v, err := strconv.ParseFloat(string(number), 64)
			if err != nil {
				return number
			}
			return strconv.AppendFloat(nil, math.Round(10*v)/10, 'f', -1, 64)
		})
	})
}
