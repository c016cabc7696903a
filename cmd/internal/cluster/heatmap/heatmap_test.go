package heatmap

import (
	"bytes"
	"image"
	_ "image/png"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/ibperf/ibperf/cmd/internal/cluster/results"
	"github.com/ibperf/ibperf/internal/golden"
	"gonum.org/v1/plot"
)

// drawn returns the files of a document's heat maps.
func drawn(t *testing.T, d *results.Document) map[string][]byte {
	t.Helper()
	dir, files := t.TempDir(), map[string][]byte{}
	if err := Draw(dir, d); err != nil {
		t.Fatal(err)
	}
	found, err := os.ReadDir(dir)
	for _, f := range found {
		if err == nil {
			files[f.Name()], err = os.ReadFile(filepath.Join(dir, f.Name()))
		}
	}
	if err != nil {
		t.Fatal(err)
	}
	return files
}

// TestHeatMapsAreAsInGoldenFiles, whose pictures were looked at.
func TestHeatMapsAreAsInGoldenFiles(t *testing.T) {
	first, second := drawn(t, small()), drawn(t, small())
	if len(first) != 4 {
		t.Fatalf("%d files, want PNG and SVG of two figures", len(first))
	}
	for name, data := range first {
		if !bytes.Equal(data, second[name]) {
			t.Errorf("%s differs from the same map", name)
		}
		if strings.HasSuffix(name, ".svg") {
			golden.Check(t, name+".golden", data)
		}
	}
}

// TestHeatMapOfAFewNodes: numbers, names and states of all nodes.
func TestHeatMapOfAFewNodes(t *testing.T) {
	files := drawn(t, small())
	for name, want := range map[string][]string{
		"pairs_bandwidth.svg": {"3 gpu0004 bad", "5 gpu0006 bad", "0 gpu0001<", ">0.72<", ">0.41<", "below 0.50", "a test failed"},
		"pairs_latency.svg":   {"3 gpu0004 bad", ">1.41<", "above 2.00"},
	} {
		for _, text := range want {
			if !strings.Contains(string(files[name]), text) {
				t.Errorf("%s has no %q", name, text)
			}
		}
	}
}

// TestHeatMapOfManyNodes: a bad node is a line of low cells in both directions and has its name, whether all pairs or few
// were tested, and cells are large enough to be seen.
func TestHeatMapOfManyNodes(t *testing.T) {
	for rounds, want := range map[int]int{5: 80, 20: 256} {
		d := many()
		if rounds == 5 {
			d = large(5)
		}
		m := newMap(d, d.Figures[1])
		if m.size() < want || m.size() > maxCells {
			t.Errorf("%d rounds: %d cells in a row, want %d to %d", rounds, m.size(), want, maxCells)
		}
		row := 777 / m.per
		if m.nodes[row] < failed-1 {
			t.Errorf("%d rounds: the bad node has level %d", rounds, m.nodes[row])
		}
		low := 0
		for at, l := range m.cells[row] {
			if l != m.cells[at][row] {
				t.Errorf("%d rounds: cells %d and %d differ from %d and %d", rounds, row, at, at, row)
			}
			if l == failed-1 {
				low++
			}
		}
		if partners := d.Nodes[777].Evidence[1].Partners; low < partners/2 {
			t.Errorf("%d rounds: %d low cells of a node with %d partners", rounds, low, partners)
		}
		if labels := m.names(); !slices.ContainsFunc(labels, func(l plot.Tick) bool { return l.Label == "777 gpu0778 bad" }) {
			t.Errorf("%d rounds: labels %v", rounds, labels)
		}
	}
}

// TestHeatMapsAreSmall: PNG and SVG of 1,024 nodes stay small, and the picture has the size of a screen.
func TestHeatMapsAreSmall(t *testing.T) {
	total := 0
	for name, data := range drawn(t, many()) {
		total += len(data)
		if strings.HasSuffix(name, ".png") {
			if c, _, err := image.DecodeConfig(bytes.NewReader(data)); err != nil || c.Width != 1152 || c.Height > 1400 {
				t.Errorf("%s: %+v, %v", name, c, err)
			}
		}
	}
	if total > 4<<20 {
		t.Errorf("%d bytes", total)
	}
}

// TestHeatMapSortsByGroup: nodes of a group are beside each other, also if ranks are not, and the axis has their names.
func TestHeatMapSortsByGroup(t *testing.T) {
	d := grouped()
	m := newMap(d, d.Figures[1])
	if m.order[0] != 0 || m.order[1] != 4 || m.order[16] != 1 || m.place[4] != 1 {
		t.Errorf("order %v", m.order)
	}
	d.Groups[2].State = results.Bad
	svg := string(drawn(t, d)["pairs_bandwidth.svg"])
	for _, want := range []string{">leaf1<", ">leaf4<", ">group<", ">group leaf3 bad<", "Bad: group leaf3."} {
		if !strings.Contains(svg, want) {
			t.Errorf("no %q", want)
		}
	}
}

// TestHeatMapSortsByRail: the devices of a rail are beside each other, figures are over the median of their rail, and the
// axis has the rails.
func TestHeatMapSortsByRail(t *testing.T) {
	d := railed()
	m := newMap(d, d.Figures[1])
	if m.order[0] != 0 || m.order[1] != 4 || m.order[6] != 1 || m.place[4] != 1 {
		t.Errorf("order %v", m.order)
	}
	low := 0
	for a, row := range m.cells {
		for b, l := range row {
			if (l == none) != (a/6 != b/6 || a == b) {
				t.Errorf("cell %d, %d has level %d", a, b, l)
			}
			if l > firstLow+1 { // beyond the noise
				low++
			}
		}
	}
	if low != 2*5 {
		t.Errorf("%d low cells, want two for each test of the slow device", low)
	}
	svg := string(drawn(t, d)["pairs_bandwidth.svg"])
	for _, want := range []string{">rail<", ">3<", "2.3 gpu0003 bad", "pairs of 24 devices of 6 nodes, over the median of each rail", "rank 2.3 (gpu0003 mlx5_3)"} {
		if !strings.Contains(svg, want) {
			t.Errorf("no %q", want)
		}
	}
}

// TestHeatMapWithoutTests: nodes that were not tested are empty, and a run without figures has no map.
func TestHeatMapWithoutTests(t *testing.T) {
	d := measured(8, 14, func(*results.Test) {})
	d.Tests = nil
	if m := newMap(d, d.Figures[1]); slices.ContainsFunc(m.cells, func(row []level) bool { return slices.Max(row) != none }) {
		t.Errorf("cells %v", m.cells)
	}
	if files := drawn(t, &results.Document{Settings: results.Settings{Ranks: 1, Rails: 1}, Figures: []results.Figure{{Name: results.Success}, {Name: results.Latency}}}); len(files) > 0 {
		t.Errorf("files %v", files)
	}
}
