package harness

import (
	"cmp"
	"slices"

	"github.com/ibperf/ibperf/harness/internal/stats"
	"github.com/ibperf/ibperf/harness/internal/testcase"
	"github.com/ibperf/ibperf/option"
	"github.com/ibperf/ibperf/result"
)

// rowID identifies a row of a file.
type rowID struct {
	size int
	name string
}

// mergeRows merges the rows of files into those of m.
func mergeRows(m *result.File, files []*result.File) error {
	parts := map[rowID][]result.Row{}
	runs := 0
	for _, f := range files {
		for _, r := range f.Rows {
			r.Rounds = slices.Clone(r.Rounds)
			for i := range r.Rounds {
				r.Rounds[i].Run += runs
			}
			id := rowID{r.Size, r.Name()}
			parts[id] = append(parts[id], r)
		}
		runs += f.Parameters.Runs
	}
	for _, f := range files {
		for _, r := range f.Rows {
			id := rowID{r.Size, r.Name()}
			if parts[id] == nil {
				continue // merged already
			}
			merged, err := mergeRow(m, parts[id])
			if err != nil {
				return err
			}
			m.Rows = append(m.Rows, merged)
			delete(parts, id)
		}
	}
	slices.SortStableFunc(m.Rows, func(a, b result.Row) int {
		return cmp.Or(cmp.Compare(slices.Index(m.Parameters.Sizes, a.Size), slices.Index(m.Parameters.Sizes, b.Size)),
			cmp.Compare(slices.Index(result.NameOrder, a.Name()), slices.Index(result.NameOrder, b.Name())))
	})
	return nil
}

// mergeRow merges rows of one size and mode. Rows that were interrupted in their first round do not count
// if there are others, because they may have been measured on the other side.
func mergeRow(f *result.File, parts []result.Row) (result.Row, error) {
	verify, warnings := mergeVerify(parts), []result.Warning(nil)
	if whole := slices.DeleteFunc(slices.Clone(parts), func(r result.Row) bool { return len(r.Rounds) == 0 }); len(whole) > 0 {
		parts = whole
	}
	m := parts[0]
	m.Rounds, m.Samples, m.Distances, m.NoRatio, m.Delivery, m.Verify = nil, nil, nil, "", nil, verify
	for _, r := range parts {
		m.Rounds = append(m.Rounds, r.Rounds...)
		m.Samples = append(m.Samples, r.Samples...)
		m.Distances = addNew(m.Distances, r.Distances)
		m.NoRatio = cmp.Or(m.NoRatio, r.NoRatio)
		m.Delivery = addDelivery(m.Delivery, r.Delivery)
		warnings = addNew(warnings, r.Warnings)
	}
	if err := mergeFigures(&m, parts); err != nil {
		return m, err
	}
	leaveOutPercentiles(&m)
	m.Local = mergeCosts(parts, func(r *result.Row) *result.Cost { return &r.Local })
	m.Peer = mergeCosts(parts, func(r *result.Row) *result.Cost { return &r.Peer })
	warnings = slices.DeleteFunc(warnings, func(w result.Warning) bool { return slices.Contains(ofFigures, w.ID) })
	waits := waiting{testcase.Mode{Completion: m.Mode, Variant: m.Variant}.Sleeps(), m.Mode == option.ModeEvent}
	m.Warnings = append(warnings, figureWarnings(&m, waits, spinningOf(&f.Parameters.Plan, Role(f.Role)))...)
	m.Warnings = append(m.Warnings, loadWarnings(&f.Parameters.Plan, &m)...)
	return m, nil
}

func mergeVerify(parts []result.Row) (all *result.Verify) {
	for _, r := range parts {
		if r.Verify == nil {
			continue
		}
		if all == nil {
			all = &result.Verify{}
		}
		all.Add(*r.Verify)
	}
	return all
}

func addDelivery(all, d *result.Delivery) *result.Delivery {
	if all == nil || d == nil {
		return cmp.Or(all, d)
	}
	return &result.Delivery{Sent: all.Sent + d.Sent, Lost: all.Lost + d.Lost}
}

// mergeFigures sets the latency or the rates of all rows together.
func mergeFigures(m *result.Row, parts []result.Row) (err error) {
	if m.Latency != nil {
		if m.Latency, err = stats.MergeLatencies(collect(parts, func(r *result.Row) *result.Latency { return r.Latency })); err != nil {
			return err
		}
		m.Latency.Rate = (&rowBuilder{rounds: m.Rounds}).iterationsPerSecond()
		if m.Load, err = mergeLoads(collect(parts, func(r *result.Row) *result.Load { return r.Load })); err != nil {
			return err
		}
		setServiceRate(m)
	}
	if m.Bandwidth != nil {
		m.Bandwidth = stats.MergeBandwidths(collect(parts, func(r *result.Row) *result.Bandwidth { return r.Bandwidth }))
	}
	m.FromClient = mergeDirections(m, parts, func(r *result.Row) *result.Direction { return r.FromClient })
	m.FromServer = mergeDirections(m, parts, func(r *result.Row) *result.Direction { return r.FromServer })
	if m.FromClient != nil || m.FromServer != nil {
		sumWindows(m.Bandwidth, m.FromClient, m.FromServer)
	}
	return nil
}

// collect returns the members that rows have.
func collect[T any](parts []result.Row, member func(*result.Row) *T) (all []*T) {
	for i := range parts {
		if x := member(&parts[i]); x != nil {
			all = append(all, x)
		}
	}
	return all
}

// mergeDirections returns one direction of all rows. It returns nil unless each row has it.
func mergeDirections(m *result.Row, parts []result.Row, member func(*result.Row) *result.Direction) *result.Direction {
	directions := collect(parts, member)
	if len(directions) < len(parts) {
		return nil
	}
	var rates []*result.Bandwidth
	var delivered *result.Delivery
	for _, d := range directions {
		rates = append(rates, &result.Bandwidth{Messages: d.Messages, Bytes: d.Bytes, Seconds: d.Active,
			Slowest: d.Slowest, MedianWindow: d.MedianWindow, Peak: d.Peak, WindowS: d.WindowS})
		delivered = addDelivery(delivered, d.Delivery)
	}
	all := direction(stats.MergeBandwidths(rates), m.Bandwidth.Seconds)
	all.Delivery = delivered
	return all
}

// mergeCosts returns the cost of all rows on one side. The time that a thread was measured for is its CPU
// time divided by the fraction of the time that it was on a CPU.
func mergeCosts(parts []result.Row, side func(*result.Row) *result.Cost) result.Cost {
	var all sideCost
	var messages uint64
	var util float64
	var counters map[string]uint64
	for i := range parts {
		c, n := side(&parts[i]), rowMessages(&parts[i])
		cpu, wall := c.CPUNs*float64(n), 0.0
		if c.Busy > 0 {
			wall = cpu / c.Busy
		}
		messages += n
		all.cpu += int64(cpu)
		all.wall += int64(wall)
		all.sleeps += int64(c.Sleeps)
		all.preempted += int64(c.Preempted)
		all.cpus = addNew(all.cpus, c.CPUs)
		all.nodes = addNew(all.nodes, c.NUMANodes)
		if c.CPUUtil != nil {
			util += *c.CPUUtil * wall
		}
		for name, count := range c.Counters {
			if counters == nil {
				counters = map[string]uint64{}
			}
			counters[name] += count
		}
	}
	merged := all.cost(messages)
	merged.Counters = counters
	if util > 0 && all.wall > 0 {
		util /= float64(all.wall)
		merged.CPUUtil = &util
	}
	return merged
}
