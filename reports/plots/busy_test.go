package plots

import (
	"strings"
	"testing"

	"github.com/ibperf/ibperf/option"
	"github.com/ibperf/ibperf/result"
)

func TestBusyPlotNamesItsSizes(t *testing.T) {
	f := latencies(t, []int{2, 8, 64, 512, 4096, 65536, 1 << 20}, "data", "poll", "event")
	svg := drawingNamed(t, "busy", f)
	for _, size := range []string{"2 bytes", "1M bytes"} {
		textAt(t, svg, size)
	}
	if points := tooltipsOf(t, svg, "event"); len(points) < 3 || len(points) > busySizes {
		t.Errorf("%d sizes are drawn", len(points))
	}
	// The points of the least size are on a line from left to right: data, poll, event.
	at := map[option.Mode]drawnTooltip{}
	for mode := range modeColors {
		for _, s := range tooltipsOf(t, svg, string(mode)) {
			if strings.Contains(s.Title, string(mode)+", 2 bytes") {
				at[mode] = s
			}
		}
	}
	if !(at["data"].X < at["poll"].X && at["poll"].X < at["event"].X) || at["event"].Y <= at["poll"].Y {
		t.Errorf("the modes are at %v", at)
	}
}

// The busier of the two sides counts.
func TestBusyPlotIsOfTheBusierSide(t *testing.T) {
	f := latencies(t, []int{64}, "poll", "event")
	f.Rows[1].Local.Busy, f.Rows[1].Peer.Busy = 0.2, 0.9
	here := tooltipsOf(t, drawingNamed(t, "busy", f), "event")[0].Y
	f.Rows[1].Local.Busy, f.Rows[1].Peer.Busy = 0.9, 0.2
	if there := tooltipsOf(t, drawingNamed(t, "busy", f), "event")[0].Y; here != there {
		t.Errorf("at %g, and with sides swapped at %g", here, there)
	}
}

// Of reads only the requester waits, through pauses only the server.
func TestBusyPlotIsOfTheSideThatWaits(t *testing.T) {
	f := latencies(t, []int{64}, "poll", "event")
	f.Op = "read"
	paused := alongPause(t)
	for _, file := range append(paused, f) {
		for i := range file.Rows {
			file.Rows[i].Local.Busy, file.Rows[i].Peer.Busy = 0.25, 0.75
		}
	}
	for _, c := range []struct {
		what  string
		files []*result.File
		label string
		ours  bool
	}{
		{"reads", []*result.File{f}, "core busy at the requester [%]; lower left is better", true},
		{"pauses", paused, "core busy at the server [%], lower is better", false},
	} {
		svg := drawingNamed(t, "busy", c.files...)
		textAt(t, svg, c.label)
		low, high := textAt(t, svg, "20").Y, textAt(t, svg, "80").Y
		for _, s := range tooltipsOf(t, svg, "event") {
			if ours := s.Y > (low+high)/2; ours != c.ours {
				t.Errorf("%s: a point at %g, 20 %% is at %g, 80 %% at %g", c.what, s.Y, low, high)
			}
		}
	}
}

func TestWhatWasNotMeasuredIsNotInTheBusyPlot(t *testing.T) {
	f := latencies(t, []int{2, 64}, "poll", "event")
	f.Rows[0].Local.Busy, f.Rows[0].Peer.Busy = 0, 0
	if points := tooltipsOf(t, drawingNamed(t, "busy", f), "poll"); len(points) != 1 {
		t.Errorf("points %v", points)
	}
	for i := range f.Rows {
		f.Rows[i].Local.Busy, f.Rows[i].Peer.Busy = 0, 0
	}
	for name := range drawings(t, f) {
		if strings.Contains(name, "busy") {
			t.Errorf("there is %s", name)
		}
	}
}

func TestApart(t *testing.T) {
	f := latencies(t, []int{2, 4, 8, 16, 32, 65536, 1 << 20}, "poll")
	lines := seriesOf(groupsOf([]*result.File{f}, nil)[0])
	got := apart(lines, 4)
	if len(got) < 3 || got[0] != 2 || got[len(got)-1] != 1<<20 || got[len(got)-2] != 65536 {
		t.Errorf("sizes %v", got)
	}
	if got := apart(lines, 7); len(got) != 7 {
		t.Errorf("of 7 sizes %v", got)
	}
}
