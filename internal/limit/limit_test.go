package limit

import (
	"slices"
	"strings"
	"testing"
	"time"
)

func TestLatencies(t *testing.T) {
	for text, want := range map[string][]Latency{
		"p99=5us":                 {{"p99", 5 * time.Microsecond}},
		"p99.9=1.5ms":             {{"p99.9", 1500 * time.Microsecond}},
		"mean=2µs,max=1s":         {{"mean", 2 * time.Microsecond}, {"max", time.Second}},
		"p50=1us,p50=900ns":       {{"p50", 900 * time.Nanosecond}},
		"p99=1us,min=1us,p99=2us": {{"min", time.Microsecond}, {"p99", 2 * time.Microsecond}},
	} {
		got, err := ParseLatencies(text, Figures())
		if err != nil || !slices.Equal(got, want) {
			t.Errorf("%s: %v, %v, want %v", text, got, err, want)
		}
		for _, l := range got {
			if again, err := ParseLatencies(l.String(), Figures()); err != nil || !slices.Equal(again, []Latency{l}) || strings.Contains(l.String(), "µ") {
				t.Errorf("%s: %v is %v, %v", text, l, again, err)
			}
		}
	}
}

func TestLatenciesRefuse(t *testing.T) {
	const form, time, figure = "write FIGURE=TIME", "write a time above 0 with its unit, such as p99=10us", "choose one of p50, p99"
	for text, want := range map[string]string{
		"": form, "10us": form, "p99": form, "=5us": form, "p99=5us,": form,
		"p99=": time, "p99=10": time, "p99=0s": time, "p99=0": time, "p99=-1s": time, "p99=NaN": time, "p99=5usec": time, "p99=1e400s": time, "p50=1us,p99=x": time,
		"p98=1us": figure, "mean=1us": figure, "P99=1us": figure,
	} {
		if all, err := ParseLatencies(text, []string{"p50", "p99"}); err == nil || all != nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, %v, want %q", text, all, err, want)
		}
	}
}

func TestReplaceLeavesItsArgument(t *testing.T) {
	first := []Latency{{"p50", 1}, {"p99", 2}}
	if got := Replace(first, Latency{"p50", 3}); !slices.Equal(got, []Latency{{"p99", 2}, {"p50", 3}}) {
		t.Errorf("%v", got)
	}
	if !slices.Equal(first, []Latency{{"p50", 1}, {"p99", 2}}) {
		t.Errorf("the argument is %v now", first)
	}
}

func TestBandwidths(t *testing.T) {
	for text, want := range map[string]struct {
		limit   Bandwidth
		written string
		bytes   float64 // per second, of a link of 400 Gb/s
	}{
		"350G":    {Bandwidth{Rate: 350}, "350G", 43.75e9},
		"350Gb/s": {Bandwidth{Rate: 350}, "350G", 43.75e9},
		"350":     {Bandwidth{Rate: 350}, "350G", 43.75e9},
		"0.5G":    {Bandwidth{Rate: 0.5}, "0.5G", 62.5e6},
		"90%":     {Bandwidth{Share: 0.9}, "90%", 45e9},
		"100%":    {Bandwidth{Share: 1}, "100%", 50e9},
	} {
		got, err := ParseBandwidth(text)
		if err != nil || got != want.limit || got.String() != want.written || got.BytesPerS(50e9) != want.bytes || !got.Given() {
			t.Errorf("%s: %+v, %s, %g bytes/s, %v", text, got, got, got.BytesPerS(50e9), err)
		}
	}
	if none := (Bandwidth{}); none.Given() || none.String() != "" {
		t.Errorf("no limit: %v, %s", none.Given(), none)
	}
}

func TestBandwidthsRefuse(t *testing.T) {
	const rate, percent = "write a number of Gb/s above 0, such as 350G", "write a percentage above 0 and up to 100, such as 50%"
	for text, want := range map[string]string{
		"": rate, "0": rate, "0G": rate, "-1G": rate, "NaN": rate, "NaNG": rate, "Inf": rate, "1e12": rate, "fast": rate, "350MiB/s": rate, "350g": rate, "350GG": rate, "350GGb/s": rate,
		"0%": percent, "-5%": percent, "101%": percent, "NaN%": percent, "%": percent, "350G%": percent,
	} {
		if got, err := ParseBandwidth(text); err == nil || got.Given() || err.Error() != want {
			t.Errorf("%q: %+v, %v, want %q", text, got, err, want)
		}
	}
}

func TestPercents(t *testing.T) {
	for text, want := range map[string]float64{"50%": 0.5, "50": 0.5, "100%": 1, "0.1%": 0.001} {
		got, err := ParsePercent(text)
		if err != nil || got != want || Percent(got) != strings.TrimSuffix(text, "%")+"%" {
			t.Errorf("%s: %g, %s, %v", text, got, Percent(got), err)
		}
	}
	for _, text := range []string{"", "%", "0", "0%", "-1%", "100.1%", "NaN", "Inf%", "half"} {
		if got, err := ParsePercent(text); err == nil || got != 0 {
			t.Errorf("%q: %g", text, got)
		}
	}
}
