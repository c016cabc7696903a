package formats

import (
	"bytes"
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/ibperf/ibperf/internal/printable"
	"github.com/ibperf/ibperf/option"
	"github.com/ibperf/ibperf/result"
)

// promMetric is a metric in the text format of Prometheus.
type promMetric struct {
	name, kind, help string
	samples          func(*result.File, *result.Row) []promSample
}

// promSample is a value of a metric, the suffix of the metric's name, and labels besides those of the row.
type promSample struct {
	suffix string
	labels []string // names and values in turn
	value  float64
}

// promMetrics are all metrics. Their names have base units, as Prometheus asks for.
var promMetrics = []promMetric{
	{"ibperf_bandwidth_bytes_per_second", "gauge", "Average bandwidth, both directions together.", func(_ *result.File, r *result.Row) []promSample {
		return promRate(r, func(b *result.Bandwidth) float64 { return b.Average })
	}},
	{"ibperf_messages_per_second", "gauge", "Average message rate, both directions together.", func(_ *result.File, r *result.Row) []promSample {
		return promRate(r, func(b *result.Bandwidth) float64 { return b.MsgRate })
	}},
	{"ibperf_latency_seconds", "summary", "Latency of a message: half a ping-pong; a round trip for read and atomic operations; with a rate the response time, a round trip.", promLatency},
	{"ibperf_lost_messages", "gauge", "Messages that were sent and not received.", func(_ *result.File, r *result.Row) []promSample {
		if r.Delivery == nil {
			return nil
		}
		return []promSample{{value: float64(r.Delivery.Lost)}}
	}},
	{"ibperf_corrupted_messages", "gauge", "Messages in which --verify found wrong data.", func(_ *result.File, r *result.Row) []promSample {
		if r.Verify == nil {
			return nil
		}
		return []promSample{{value: float64(r.Verify.Bad())}}
	}},
	{"ibperf_warning", "gauge", "1 for each kind of reason to doubt the numbers.", promWarnings},
	{"ibperf_end_timestamp_seconds", "gauge", "When the measurement ended, in seconds since 1970.", func(f *result.File, _ *result.Row) []promSample {
		return []promSample{{value: float64(f.Finished.UnixMilli()) / 1e3}}
	}},
}

func promRate(r *result.Row, rate func(*result.Bandwidth) float64) []promSample {
	if r.Bandwidth == nil {
		return nil
	}
	return []promSample{{value: rate(r.Bandwidth)}}
}

// promLatency returns quantiles, unless only the mean was measured, the sum and the count.
func promLatency(_ *result.File, r *result.Row) (all []promSample) {
	l := r.Latency
	if l == nil {
		return nil
	}
	if !l.MeanOnly {
		for _, q := range []struct {
			quantile string
			ns       float64
		}{{"0", l.MinNs}, {"0.5", l.P50Ns}, {"0.9", l.P90Ns}, {"0.99", l.P99Ns}, {"0.999", l.P999Ns}, {"0.9999", l.P9999Ns}, {"1", l.MaxNs}} {
			all = append(all, promSample{labels: []string{"quantile", q.quantile}, value: q.ns / 1e9})
		}
	}
	n := float64(l.N)
	return append(all, promSample{suffix: "_sum", value: n * l.MeanNs / 1e9}, promSample{suffix: "_count", value: n})
}

// promWarnings returns a sample for each id of a warning of the run or the row.
func promWarnings(f *result.File, r *result.Row) (all []promSample) {
	var ids []string
	for _, w := range slices.Concat(f.Warnings, r.Warnings) {
		ids = append(ids, string(w.ID))
	}
	slices.Sort(ids)
	for _, id := range slices.Compact(ids) {
		all = append(all, promSample{labels: []string{"id", id}, value: 1})
	}
	return all
}

// writePrometheus writes the metrics of all rows. A metric's samples follow each other, so rows of several
// files must have different labels.
func writePrometheus(b *bytes.Buffer, files []*result.File) error {
	seen := map[string]bool{}
	for _, f := range files {
		for i := range f.Rows {
			labels := promText(promLabels(f, &f.Rows[i]))
			if seen[labels] {
				return fmt.Errorf("format prometheus: two rows have the labels {%s}: write a file for each", labels)
			}
			seen[labels] = true
		}
	}
	for _, m := range promMetrics {
		head := fmt.Sprintf("# HELP %s %s\n# TYPE %s %s\n", m.name, m.help, m.name, m.kind)
		for _, f := range files {
			for i := range f.Rows {
				for _, s := range m.samples(f, &f.Rows[i]) {
					labels := promText(append(promLabels(f, &f.Rows[i]), s.labels...))
					fmt.Fprintf(b, "%s%s%s{%s} %s\n", head, m.name, s.suffix, labels, strconv.FormatFloat(s.value, 'g', -1, 64))
					head = ""
				}
			}
		}
	}
	return nil
}

// promLabels returns names and values of the labels of a row, in turn.
func promLabels(f *result.File, r *result.Row) []string {
	labels := []string{
		"test", f.Test(), "role", f.Role, "device", f.Local.DeviceNames(), "peer", f.Peer.Host,
		"transport", string(f.Parameters.Transport), "qps", strconv.Itoa(f.Parameters.QPs),
		"size", strconv.Itoa(r.Size), "mode", string(r.Mode),
	}
	if r.Variant != "" {
		labels = append(labels, "variant", string(r.Variant))
	}
	if n := f.Parameters.Threads; n > 1 {
		labels = append(labels, "threads", strconv.Itoa(n))
	}
	if gap := f.Parameters.Gap; gap > 0 {
		labels = append(labels, "gap", strconv.FormatFloat(gap.Seconds(), 'g', -1, 64))
	}
	if rate := f.Parameters.RateLimit; rate > 0 {
		labels = append(labels, "rate_limit", strconv.FormatFloat(rate, 'f', -1, 64)+string(cmp.Or(f.Parameters.RateUnits, option.RateGbit)))
	}
	if f.Parameters.OpenLoop() {
		labels = append(labels, "arrivals", string(f.Parameters.Arrivals))
	}
	return labels
}

// promEscape escapes the value of a label.
var promEscape = strings.NewReplacer(`\`, `\\`, `"`, `\"`)

// promText returns labels as they are written in braces.
func promText(labels []string) string {
	var pairs []string
	for i := 0; i < len(labels); i += 2 {
		pairs = append(pairs, labels[i]+`="`+promEscape.Replace(printable.Clean(labels[i+1]))+`"`)
	}
	return strings.Join(pairs, ",")
}
