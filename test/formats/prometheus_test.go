package formats

import (
	"bytes"
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/ibperf/ibperf/internal/testresult"
	"github.com/ibperf/ibperf/option"
	"github.com/ibperf/ibperf/reports/formats"
	"github.com/ibperf/ibperf/result"
	dto "github.com/prometheus/client_model/go"
	"github.com/prometheus/common/expfmt"
	"github.com/prometheus/common/model"
)

// metrics returns the metrics of files as Prometheus reads them.
func metrics(t *testing.T, files ...*result.File) map[string]*dto.MetricFamily {
	t.Helper()
	var b bytes.Buffer
	if err := formats.Write(&b, files, option.FormatPrometheus); err != nil {
		t.Fatal(err)
	}
	parser := expfmt.NewTextParser(model.LegacyValidation)
	families, err := parser.TextToMetricFamilies(strings.NewReader(b.String()))
	if err != nil {
		t.Fatalf("%v\n%s", err, &b)
	}
	for name, family := range families {
		if family.GetHelp() == "" || !strings.HasPrefix(name, "ibperf_") {
			t.Errorf("%s has the help %q", name, family.GetHelp())
		}
	}
	return families
}

// labels returns the labels of a metric.
func labels(m *dto.Metric) map[string]string {
	all := map[string]string{}
	for _, l := range m.Label {
		all[l.GetName()] = l.GetValue()
	}
	return all
}

// Each row has the numbers of the result file in base units, and labels that distinguish it from all others.
func TestPrometheusReadsMetrics(t *testing.T) {
	lat := testresult.File(t, "write", option.KindLatency, []int{2, 64}, "data", "poll")
	bw := testresult.File(t, "send", option.KindBandwidth, []int{65536}, "poll")
	bw.Finished = time.UnixMilli(1_700_000_000_250)
	bw.Rows[0].Delivery, bw.Rows[0].Verify = &result.Delivery{Sent: 9, Lost: 2}, &result.Verify{Messages: 7, Torn: 1, Stale: 2}
	bw.Warnings, bw.Rows[0].Warnings = []result.Warning{{ID: "a"}, {ID: "b"}}, []result.Warning{{ID: "a"}}
	families := metrics(t, lat, bw)
	for name, want := range map[string]float64{
		"ibperf_bandwidth_bytes_per_second": bw.Rows[0].Bandwidth.Average, "ibperf_messages_per_second": bw.Rows[0].Bandwidth.MsgRate,
		"ibperf_lost_messages": 2, "ibperf_corrupted_messages": 3,
	} {
		if f := families[name]; f.GetType() != dto.MetricType_GAUGE || len(f.Metric) != 1 || f.Metric[0].Gauge.GetValue() != want {
			t.Errorf("%s is %v, want %g", name, f, want)
		}
	}
	if got := labels(families["ibperf_bandwidth_bytes_per_second"].Metric[0]); !maps.Equal(got, map[string]string{
		"test": "send_bw", "role": bw.Role, "device": bw.Local.Device.Name, "peer": bw.Peer.Host, "transport": "RC", "qps": "1", "size": "65536", "mode": "poll",
	}) {
		t.Errorf("labels %v", got)
	}
	var ids []string
	for _, m := range families["ibperf_warning"].Metric {
		if l := labels(m); l["test"] == "send_bw" {
			ids = append(ids, l["id"])
		}
	}
	if !slices.Equal(ids, []string{"a", "b"}) {
		t.Errorf("warnings %q", ids)
	}
	ends := families["ibperf_end_timestamp_seconds"].Metric
	if len(ends) != 5 || ends[4].Gauge.GetValue() != 1_700_000_000.25 {
		t.Errorf("ends: %v", ends)
	}
	wantSummaries(t, families["ibperf_latency_seconds"], lat.Rows)
}

// wantSummaries checks the quantiles, sum and count of rows.
func wantSummaries(t *testing.T, family *dto.MetricFamily, rows []result.Row) {
	t.Helper()
	if family.GetType() != dto.MetricType_SUMMARY || len(family.Metric) != len(rows) {
		t.Fatalf("%d rows, and %v", len(rows), family)
	}
	for _, m := range family.Metric {
		at := labels(m)
		i := slices.IndexFunc(rows, func(r result.Row) bool { return fmt.Sprint(r.Size) == at["size"] && string(r.Mode) == at["mode"] })
		if i < 0 {
			t.Fatalf("no row for %v", at)
		}
		l := rows[i].Latency
		want := map[float64]float64{0: l.MinNs, 0.5: l.P50Ns, 0.9: l.P90Ns, 0.99: l.P99Ns, 0.999: l.P999Ns, 0.9999: l.P9999Ns, 1: l.MaxNs}
		if len(m.Summary.Quantile) != len(want) {
			t.Errorf("%v: quantiles %v", at, m.Summary.Quantile)
		}
		for _, q := range m.Summary.Quantile {
			if ns := q.GetValue() * 1e9; math.Abs(ns-want[q.GetQuantile()]) > 1e-6*ns {
				t.Errorf("%v: quantile %g is %g ns, want %g", at, q.GetQuantile(), ns, want[q.GetQuantile()])
			}
		}
		if sum := m.Summary.GetSampleSum() * 1e9 / float64(l.N); m.Summary.GetSampleCount() != l.N || math.Abs(sum/l.MeanNs-1) > 1e-9 {
			t.Errorf("%v: mean %g ns of %d, want %g of %d", at, sum, m.Summary.GetSampleCount(), l.MeanNs, l.N)
		}
	}
}

// A latency of which only the mean was measured has no quantiles.
func TestMeanOnlyHasNoQuantiles(t *testing.T) {
	f := testresult.File(t, "write", option.KindLatency, []int{2}, "poll")
	f.Rows[0].Latency.MeanOnly = true
	if s := metrics(t, f)["ibperf_latency_seconds"].Metric[0].Summary; len(s.Quantile) != 0 || s.GetSampleCount() != f.Rows[0].Latency.N {
		t.Errorf("summary %v", s)
	}
}

// Names of a peer are text and nothing else, and the variants of a mode have labels of their own.
func TestLabelsHoldAnyText(t *testing.T) {
	f := testresult.Variants(t)
	f.Peer.Host = "a\"} 1\n# b\\"
	got := metrics(t, f)["ibperf_bandwidth_bytes_per_second"].Metric
	if len(got) != len(f.Rows) {
		t.Errorf("%d samples of %d rows", len(got), len(f.Rows))
	}
	variants := map[string]bool{}
	for _, m := range got {
		l := labels(m)
		variants[l["variant"]] = true
		if l["peer"] != "a\"} 1 # b\\" {
			t.Errorf("peer %q", l["peer"])
		}
	}
	if len(variants) < 3 {
		t.Errorf("variants %v", variants)
	}
}

// Rows that no label distinguishes are refused, as node_exporter would refuse the whole file.
func TestEqualLabelsAreRefused(t *testing.T) {
	f := testresult.File(t, "write", option.KindLatency, []int{2}, "poll")
	if err := formats.Write(new(bytes.Buffer), []*result.File{f, f}, option.FormatPrometheus); err == nil || !strings.Contains(err.Error(), `size="2"`) {
		t.Errorf("error %v", err)
	}
}
