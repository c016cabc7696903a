package comparison

import (
	"encoding/json"
	"math"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/ibperf/ibperf/option"
	"github.com/ibperf/ibperf/result"
)

// syntheticComparison returns three lines, one of each metric and mode, with pairs whose ratios are
// round numbers.
func syntheticComparison(pairs int) *Comparison {
	c := New()
	c.Command = []string{"bench", "-o", "x.json"}
	c.Started = time.Date(2026, 1, 2, 15, 4, 5, 0, time.UTC)
	c.Finished = c.Started.Add(time.Minute)
	c.Pairs = 5
	c.Machine = Machine{Host: "guest", Kernel: "6.1.0-56-amd64", CPU: "Example CPU", CPUs: 2, Pinned: []int{0, 1}}
	c.Warnings = []result.Warning{{ID: "emulated-cpu", Text: "the CPU is emulated"}}
	c.Lines = []Line{
		{Test: "write_bw", Size: 65536, Mode: "poll", Metric: MetricBandwidth, Goal: 0.95, Note: "the clocks differ"},
		{Test: "send_bw", Size: 8, Mode: "event", Metric: MetricRate, Note: "the clocks differ"},
		{Test: "write_lat", Size: 2, Mode: "data", Metric: MetricLatency, Goal: 1.05, Note: "one waits for more"},
	}
	reference := []Program{{"perftest", "6.06"}, {"ucx_perftest", "1.13.1"}, {"perftest", "6.06"}}
	part := []string{"", "put_bw", ""}
	base := map[string]float64{MetricBandwidth: 26e6, MetricRate: 25000, MetricLatency: 40000}
	for i := range c.Lines {
		l := &c.Lines[i]
		l.Parameters = map[string]int{"iters": 1000, "mtu": 1024}
		l.Subject = Values{Program: Program{"ibperf", "0.1.0"}, Device: "rxe0", Definition: "what one counts", Command: []string{"one"}}
		l.Reference = Values{Program: reference[i], Part: part[i], Definition: "what the other counts", Command: []string{"other"}}
		for j := range pairs {
			l.Add(base[l.Metric]*(0.9+0.05*float64(i+j)), base[l.Metric])
		}
	}
	return c
}

func TestLineIsSummedUp(t *testing.T) {
	var l Line
	for _, p := range [][2]float64{{10, 10}, {30, 10}, {40, 20}, {4, 10}} { // ratios 1, 3, 2, 0.4
		l.Add(p[0], p[1])
	}
	for _, c := range []struct {
		name      string
		got, want float64
	}{
		{"subject's median", l.Subject.Median, 20},
		{"reference's median", l.Reference.Median, 10},
		{"median ratio", l.Ratio.Median, 1.5},
		{"first quartile", l.Ratio.Q1, 0.85},
		{"third quartile", l.Ratio.Q3, 2.25},
	} {
		if math.Abs(c.got-c.want) > 1e-12 {
			t.Errorf("%s is %v, want %v", c.name, c.got, c.want)
		}
	}
	l.Add(100, 10)
	if l.Ratio.Median != 2 || l.Subject.Median != 30 {
		t.Errorf("with a fifth pair the median ratio is %v, the median %v", l.Ratio.Median, l.Subject.Median)
	}
}

func TestQuantileLeavesItsValuesAlone(t *testing.T) {
	values := []float64{3, 1, 2}
	if got := quantile(values, 0.5); got != 2 || !reflect.DeepEqual(values, []float64{3, 1, 2}) {
		t.Errorf("median is %v of %v", got, values)
	}
	if quantile(nil, 0.5) != 0 || quantile([]float64{7}, 0.75) != 7 || quantile(values, 1) != 3 || quantile(values, 0) != 1 {
		t.Error("the ends are wrong")
	}
}

func TestComparisonWriteThenRead(t *testing.T) {
	path := filepath.Join(t.TempDir(), "c.json")
	want := syntheticComparison(5)
	if err := want.Write(path); err != nil {
		t.Fatal(err)
	}
	got, err := Read(path)
	if err != nil {
		t.Fatal(err)
	}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("read a comparison other than the one written: %+v", got)
	}
}

func TestUnreadableComparisonsAreNamed(t *testing.T) {
	path := filepath.Join(t.TempDir(), "run.json")
	if err := (&result.File{Header: result.FileHeader(), Kind: option.KindLatency, Op: "write"}).Write(path); err != nil {
		t.Fatal(err)
	}
	if _, err := Read(path); err == nil || !strings.Contains(err.Error(), path) || !strings.Contains(err.Error(), "not a result file") {
		t.Errorf("a run is read as a comparison: %v", err)
	}
	if _, err := Read(path + ".none"); err == nil || !strings.Contains(err.Error(), ".none") {
		t.Errorf("a missing file: %v", err)
	}
}

func TestParseRefuses(t *testing.T) {
	for _, c := range []struct {
		name   string
		change func(*Comparison)
		want   string
	}{
		{"another format", func(c *Comparison) { c.Format = result.FormatName }, "not a result file"},
		{"a newer version", func(c *Comparison) { c.Version = FormatVersion + 1 }, "use a newer ibperf"},
		{"no version", func(c *Comparison) { c.Version = 0 }, "version 0"},
		{"no subject", func(c *Comparison) { c.Lines[0].Subject.Program.Name = "" }, "line 1: subject or reference"},
		{"no reference", func(c *Comparison) { c.Lines[2].Reference.Program.Name = "" }, "line 3: subject or reference"},
		{"a line without a test", func(c *Comparison) { c.Lines[1].Test = "" }, "line 2: test is missing"},
		{"a negative size", func(c *Comparison) { c.Lines[0].Size = -1 }, "size_bytes"},
		{"an unknown arrival", func(c *Comparison) { c.Lines[0].Mode = "guess" }, "arrival"},
		{"an unknown metric", func(c *Comparison) { c.Lines[0].Metric = "p99_ns" }, "metric"},
		{"half a pair", func(c *Comparison) { c.Lines[0].Reference.Rounds = c.Lines[0].Reference.Rounds[1:] }, "5 rounds of the subject, 4"},
		{"a round of nothing", func(c *Comparison) { c.Lines[0].Reference.Rounds[2] = 0 }, "rounds: 0"},
		{"a negative round", func(c *Comparison) { c.Lines[0].Subject.Rounds[2] = -1 }, "rounds: -1"},
		{"a round beyond all measure", func(c *Comparison) { c.Lines[0].Subject.Rounds[2] = 1e300 }, "rounds: 1e+300"},
		{"a negative goal", func(c *Comparison) { c.Lines[0].Goal = -1 }, "goal"},
		{"another subject's median", func(c *Comparison) { c.Lines[0].Subject.Median *= 1.01 }, "subject's median"},
		{"another reference's median", func(c *Comparison) { c.Lines[0].Reference.Median *= 0.99 }, "reference's median"},
		{"another ratio", func(c *Comparison) { c.Lines[2].Ratio.Median = 1 }, "line 3: the median ratio"},
		{"another first quartile", func(c *Comparison) { c.Lines[0].Ratio.Q1 = 0 }, "first quartile"},
		{"another third quartile", func(c *Comparison) { c.Lines[0].Ratio.Q3 = 9 }, "third quartile"},
	} {
		t.Run(c.name, func(t *testing.T) {
			changed := syntheticComparison(5)
			c.change(changed)
			data, err := json.Marshal(changed)
			if err != nil {
				t.Fatal(err)
			}
			if _, err := Parse(data); err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("error is %v, want one with %q", err, c.want)
			}
		})
	}
}

func TestComparisonNamesUnitAndMeaningOfItsNumbers(t *testing.T) {
	c := New()
	for metric, scale := range scales {
		if !strings.Contains(c.Units[metric], scale.unit) || !strings.Contains(c.Units[metric], scale.better()+" is better") {
			t.Errorf("unit of %s is %q", metric, c.Units[metric])
		}
	}
	for _, name := range []string{"rounds", "pairs", "median", "ratio", "goal"} {
		if c.Definitions[name] == "" {
			t.Errorf("no definition of %s", name)
		}
	}
}

// FuzzParse holds that what Parse accepts can be printed.
func FuzzParse(f *testing.F) {
	for _, pairs := range []int{0, 1, 5} {
		data, err := json.Marshal(syntheticComparison(pairs))
		if err != nil {
			f.Fatal(err)
		}
		f.Add(data)
	}
	f.Add([]byte(`{"format":"ibperf-comparison","version":2,"lines":[` +
		`{"test":"x","arrival":"poll","metric":"p50_ns","subject":{"program":{"name":"a"},"rounds":[1e18],"median":1e18},` +
		`"reference":{"program":{"name":"a"},"rounds":[1e-9],"median":1e-9},"ratio":{"median":1e27,"q1":1e27,"q3":1e27}}]}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		c, err := Parse(data)
		if err != nil {
			return
		}
		text := setText(t, Set{c})
		for _, bad := range []string{"NaN", "+Inf", "-Inf"} {
			if strings.Contains(text, bad) && !strings.Contains(string(data), bad) {
				t.Errorf("the text contains %s", bad)
			}
		}
	})
}
