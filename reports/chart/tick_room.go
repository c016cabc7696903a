package chart

import (
	"strings"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg"
)

// roomyTicks are ticks of which only those are labeled that have room for it.
type roomyTicks struct {
	plot.Ticker
	axis   *plot.Axis
	length vg.Length                    // of the axis
	room   func(label string) vg.Length // that a label takes along the axis
}

// Ticks implements [plot.Ticker]. If not all labels have room, it keeps those of decades of a logarithmic
// axis, and else every n-th.
func (r roomyTicks) Ticks(low, high float64) []plot.Tick {
	ticks := r.Ticker.Ticks(low, high)
	if r.fit(ticks) {
		return ticks
	}
	if _, log := r.axis.Scale.(LogScale); log {
		decades := unlabel(ticks, func(t plot.Tick) bool { return strings.Trim(t.Label, "0.") != "1" })
		if labeled(decades) > 1 && r.fit(decades) {
			return decades
		}
	}
	for every := 2; !r.fit(ticks); every++ {
		ticks = everyNth(r.Ticker.Ticks(low, high), every)
	}
	return ticks
}

// everyNth returns ticks with only every n-th of their labels.
func everyNth(ticks []plot.Tick, n int) []plot.Tick {
	seen := -1
	return unlabel(ticks, func(plot.Tick) bool { seen++; return seen%n != 0 })
}

func (r roomyTicks) at(t plot.Tick) vg.Length { return vg.Length(r.axis.Norm(t.Value)) * r.length }

// fit reports whether all labels have room.
func (r roomyTicks) fit(ticks []plot.Tick) bool {
	last := vg.Length(-1e9)
	for _, t := range ticks {
		if t.Label == "" {
			continue
		}
		if at := r.at(t); at-last < r.room(t.Label) {
			return false
		} else {
			last = at
		}
	}
	return true
}

// unlabel returns ticks without the labels of some.
func unlabel(ticks []plot.Tick, some func(plot.Tick) bool) []plot.Tick {
	var all []plot.Tick
	for _, t := range ticks {
		if t.Label != "" && some(t) {
			t.Label = ""
		}
		all = append(all, t)
	}
	return all
}

func labeled(ticks []plot.Tick) (n int) {
	for _, t := range ticks {
		if t.Label != "" {
			n++
		}
	}
	return n
}

// giveRoom leaves the ticks of the panel only the labels that have room on a plot of a size. It returns a
// function that undoes this.
func (p *Panel) giveRoom(size vg.Point) (undo func()) {
	x, y := &p.Plot.X, &p.Plot.Y
	ofX, ofY, style := x.Tick.Marker, y.Tick.Marker, x.Tick.Label
	x.Tick.Marker = roomyTicks{ofX, x, size.X, func(l string) vg.Length { return style.Width(l) + 6 }}
	y.Tick.Marker = roomyTicks{ofY, y, size.Y, func(string) vg.Length { return 1.2 * style.Font.Size }}
	if p.NoStops {
		x.Tick.Marker = unlabeled{ofX}
	}
	return func() { x.Tick.Marker, y.Tick.Marker = ofX, ofY }
}

// unlabeled ticks have no labels.
type unlabeled struct{ plot.Ticker }

// Ticks implements [plot.Ticker].
func (u unlabeled) Ticks(low, high float64) []plot.Tick {
	return unlabel(u.Ticker.Ticks(low, high), func(plot.Tick) bool { return true })
}
