package comparison

import (
	"strings"
	"testing"
)

// bySize is a comparison of lines that differ in size alone.
func bySize(t *testing.T, sizes ...int) *Comparison {
	c := recorded(t, 0)
	c.Lines = nil
	for i, size := range sizes {
		l := Line{Test: "copy", Size: size, Arrival: "data", Metric: MetricTime, Parameters: map[string]int{"copies": 10 * i},
			Subject: Values{Program: Program{Name: "ibperf", Release: "0.1.0"}}, Reference: Values{Program: Program{Name: "Go", Release: "1.0"}}}
		for j := range 5 {
			l.Add(float64(size)*(1+float64(j)/10), float64(size))
		}
		c.Lines = append(c.Lines, l)
	}
	return c
}

func TestLinesThatDifferInSizeAreACurve(t *testing.T) {
	svg := ratioDrawing(t, bySize(t, 4096, 8, 64, 512))
	for _, want := range []string{"copy, data: ibperf side by side with Go", "message size [bytes]", "time per message (lower is better)", "1.20x", ">4915<", ">4096<"} {
		if !strings.Contains(svg, want) {
			t.Errorf("the drawing does not say %q", want)
		}
	}
	if strings.Contains(svg, "NaN") {
		t.Error("not a number in the drawing")
	}
}

func TestCurvesAreDrawnBesideOtherLines(t *testing.T) {
	other := recorded(t, 3)
	c := bySize(t, 8, 64, 512, 4096)
	c.Lines = append(c.Lines, other.Lines...)
	drawn := sketches(c)
	if len(drawn) != 2 || drawn[0].XLabel != "subject / reference" || drawn[1].XLabel != "message size [bytes]" {
		t.Errorf("%d plots", len(drawn))
	}
}

func TestFewSizesOrOneTwiceAreNoCurve(t *testing.T) {
	for _, sizes := range [][]int{{8, 64, 512}, {8, 64, 512, 512, 4096}, {0, 8, 64, 512}} {
		for _, s := range sketches(bySize(t, sizes...)) {
			if s.XLabel != "subject / reference" {
				t.Errorf("%v make a curve", sizes)
			}
		}
	}
}

func TestCurveOfRatiosFarApart(t *testing.T) {
	c := bySize(t, 8, 64, 512, 4096)
	c.Lines[2].Subject.Rounds, c.Lines[2].Reference.Rounds = nil, nil
	c.Lines[2].Add(1, 500)
	if svg := ratioDrawing(t, c); strings.Contains(svg, "NaN") || strings.Contains(svg, "Inf") {
		t.Error("not a number in the drawing")
	}
}

func TestCurveIsInTheColourOfItsMetric(t *testing.T) {
	if !strings.Contains(ratioDrawing(t, bySize(t, 8, 64, 512, 4096)), hex(MetricTime)) {
		t.Error("the colour is not in the drawing")
	}
}
