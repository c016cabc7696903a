package main

import (
	"bytes"
	"fmt"
	"math"
	"math/rand/v2"
)

// The layout of the picture, in pixels.
const (
	shown       = 40 // intervals of each panel
	panelWidth  = 340
	panelLeft   = 20
	panelTop    = 64
	lineHeight  = 8
	height      = panelTop + shown*lineHeight + 44
	ratioLow    = 0.28 // left end of a panel
	ratioHigh   = 0.52
	blue, ocher = "#0072B2", "#D55E00"
)

// draw returns an SVG with the intervals of comparisons by two plans on the switching machine: all lines of a
// panel are from comparisons of the same two modes on the same machine.
func draw() []byte {
	one := single
	one.runs, one.rounds = 1, 20
	var b bytes.Buffer
	fmt.Fprintf(&b, `<svg xmlns="http://www.w3.org/2000/svg" width="%d" height="%d" font-family="Liberation Sans, Arial, sans-serif" font-size="13" fill="#222222">
<rect width="100%%" height="100%%" fill="#FFFFFF"/>
`, 2*(panelWidth+2*panelLeft), height)
	drawPanel(&b, panelLeft, "1 run of 20 rounds", one)
	drawPanel(&b, panelWidth+3*panelLeft, fmt.Sprintf("%d runs of %d rounds", series.runs, series.rounds), series)
	b.WriteString("</svg>\n")
	return b.Bytes()
}

// drawPanel draws intervals below one another, and the long-run ratio as a vertical line.
func drawPanel(b *bytes.Buffer, left float64, title string, p plan) {
	m := machines[0]
	longRun := p.longRun(m)
	at := func(ratio float64) float64 {
		part := math.Log(ratio/ratioLow) / math.Log(ratioHigh/ratioLow)
		return left + panelWidth*min(max(part, 0), 1)
	}
	line := func(x1, y1, x2, y2 float64, color string, width float64) {
		fmt.Fprintf(b, `<line x1="%.1f" y1="%.1f" x2="%.1f" y2="%.1f" stroke="%s" stroke-width="%g"/>`+"\n", x1, y1, x2, y2, color, width)
	}
	bottom := float64(panelTop + shown*lineHeight)
	line(at(longRun), panelTop-4, at(longRun), bottom+4, "#555555", 1)
	rnd := rand.New(rand.NewPCG(3, 1))
	held := 0
	for i := range shown {
		r := p.compare(m, rnd).ratio(data)
		color := blue
		if r.Low > longRun || r.High < longRun {
			color = ocher
		} else {
			held++
		}
		y := panelTop + (float64(i)+0.5)*lineHeight
		line(at(r.Low), y, at(r.High), y, color, 2)
		fmt.Fprintf(b, `<circle cx="%.1f" cy="%.1f" r="2.5" fill="%s"/>`+"\n", at(r.Value), y, color)
	}
	fmt.Fprintf(b, `<text x="%g" y="24" font-size="16" font-weight="bold">%s</text>`+"\n", left, title)
	fmt.Fprintf(b, `<text x="%g" y="46">%d of %d intervals hold the long-run ratio</text>`+"\n", left, held, shown)
	for _, tick := range []float64{0.3, 0.35, 0.4, 0.45, 0.5} {
		line(at(tick), bottom+4, at(tick), bottom+9, "#555555", 1)
		fmt.Fprintf(b, `<text x="%.1f" y="%g" text-anchor="middle" font-size="12">%.2f</text>`+"\n", at(tick), bottom+22, tick)
	}
	fmt.Fprintf(b, `<text x="%g" y="%g" text-anchor="middle">data / poll</text>`+"\n", left+panelWidth/2, bottom+38)
}

// longRun returns the ratio of data to poll that endless comparisons would give.
func (p plan) longRun(m machine) float64 {
	const times = 5000
	rnd := rand.New(rand.NewPCG(2, 1))
	sum := 0.0
	for range times {
		sum += math.Log(p.compare(m, rnd).ratio(data).Value)
	}
	return math.Exp(sum / times)
}
