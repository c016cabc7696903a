package reports

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/ibperf/ibperf/internal/units"
	"github.com/ibperf/ibperf/reports/result"
)

// ruleWidth is the length of the dash lines around header and rows.
const ruleWidth = 87

var rule = strings.Repeat("-", ruleWidth) + "\n"

// TestTitle names a test as perftest does: "RDMA_Write Latency Test".
func TestTitle(op, kind string) string {
	verbs := map[string]string{"write": "RDMA_Write", "read": "RDMA_Read", "send": "Send", "atomic": "Atomic"}
	verb, ok := verbs[op]
	if !ok {
		verb = Clean(op)
	}
	if kind == result.KindLatency {
		return verb + " Latency Test"
	}
	return verb + " BW Test"
}

// headerBlock is what stands over the rows of a run: the test, the device, the
// parameters, and what the device promises about the order of data.
func headerBlock(f *result.File) string {
	var b strings.Builder
	b.WriteString(rule)
	b.WriteString(strings.Repeat(" ", 20) + TestTitle(f.Op, f.Kind) + "\n")
	for _, p := range append(properties(f), promises(f)...) {
		fmt.Fprintf(&b, " %-16s: %s", p[0], Clean(p[1]))
		if len(p) == 4 {
			fmt.Fprintf(&b, "\t\t%-15s: %s", p[2], Clean(p[3]))
		}
		b.WriteByte('\n')
	}
	b.WriteString(rule)
	return b.String()
}

// properties lists name and value, one pair or two, of each line of the header
// block that perftest has too.
func properties(f *result.File) [][]string {
	p, d := f.Parameters, f.Local.Device
	list := [][]string{
		{"Device", d.Name},
		{"Number of qps", strconv.Itoa(p.QPs), "Transport type", transportType(d)},
		{"Connection type", p.Transport},
	}
	if f.Kind == result.KindBandwidth {
		list = append(list,
			[]string{"TX depth", strconv.Itoa(p.TxDepth)},
			[]string{"RX depth", strconv.Itoa(p.RxDepth)},
			[]string{"CQ Moderation", strconv.Itoa(p.CQMod)})
	}
	list = append(list, []string{"Mtu", strconv.Itoa(p.MTU) + "[B]"}, []string{"Link type", d.LinkLayer})
	if p.RDMACM {
		list = append(list, []string{"rdma_cm QPs", "ON"})
	}
	if d.GIDIndex >= 0 {
		list = append(list, []string{"GID index", strconv.Itoa(d.GIDIndex)})
	}
	if !result.RoundTrip(f.Op) {
		list = append(list, []string{"Max inline data", strconv.Itoa(p.Inline) + "[B]"})
	}
	return list
}

// promises lists what perftest's header lacks: how arrival is detected and
// what each side's device answered about the order of data.
func promises(f *result.File) [][]string {
	modes := strings.Join(f.Parameters.Modes, ", ")
	if asked := f.Parameters.Completion; asked != "" && asked != modes {
		modes += " (asked for: " + asked + ")"
	}
	list := [][]string{{"Completion", modes}}
	if touch := f.Parameters.Touch; touch != "" {
		list = append(list, []string{"Touch", touch})
	}
	if rounds := roundsText(f.Parameters); rounds != "" {
		list = append(list, []string{"Rounds", rounds})
	}
	if gap := f.Parameters.LatencyGapNs; gap > 0 {
		list = append(list, []string{"Latency gap", units.UsecText(gap) + " usec"})
	}
	if here, peer := f.Local.PinnedCPU, f.Peer.PinnedCPU; here != nil && peer != nil {
		list = append(list, []string{"Measuring CPUs", fmt.Sprintf("%d here, %d at the peer, kept apart on one host", *here, *peer)})
	}
	list = append(list, []string{"Data in order?", f.Local.Order.Query})
	if q := f.Peer.Order.Query; q != "" && q != f.Local.Order.Query {
		list = append(list, []string{" asked by peer", q})
	}
	list = append(list, []string{" answer here", answer(f.Local.Order)}, []string{" answer at peer", answer(f.Peer.Order)})
	if s := SoftwareLabel(f); s != "" {
		list = append(list, []string{"Software device", s})
	}
	if f.Local.ClockNs > 0 && f.Kind == result.KindLatency {
		list = append(list, []string{"Clock", clockText(f.Local) + ", " + readings(f)})
	}
	return list
}

// roundsText says how often modes took turns, empty if they did not.
func roundsText(p result.Parameters) string {
	switch {
	case p.Runs > 1:
		return fmt.Sprintf("%d in each of %d runs", p.Rounds, p.Runs)
	case p.Rounds > 1:
		return strconv.Itoa(p.Rounds)
	}
	return ""
}

// readings says when the clock is read.
func readings(f *result.File) string {
	if f.Parameters.NoPeak {
		return "none in the samples"
	}
	return "one in each sample"
}

func answer(o result.Order) string {
	if o.Answer == "" {
		return result.OrderUnknown
	}
	return o.Answer
}

// SoftwareLabel says what stands in for hardware, empty if both are real.
func SoftwareLabel(f *result.File) string {
	here, peer := f.Local.Device.Software, f.Peer.Device.Software
	switch {
	case here == peer:
		return here
	case peer == "":
		return here + " (here)"
	case here == "":
		return peer + " (at the peer)"
	}
	return here + " (here), " + peer + " (at the peer)"
}

func transportType(d result.Device) string {
	if d.Backend == "shm" {
		return "SHM"
	}
	return "IB"
}
