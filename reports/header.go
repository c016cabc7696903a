package reports

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

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

// fullTitle names a run's test as perftest does: "RDMA_Write Bidirectional Post List BW Test".
func fullTitle(f *result.File) string {
	verb, rest, _ := strings.Cut(TestTitle(f.Op, f.Kind), " ")
	if f.Parameters.Multicast {
		rest = strings.Replace(rest, "Test", "Multicast Test", 1)
	}
	if f.Parameters.PostList > 1 {
		rest = "Post List " + rest
	}
	if f.Parameters.Both {
		rest = "Bidirectional " + rest
	}
	return verb + " " + rest
}

// headerBlock is what stands over the rows of a run: the test, the device, the
// parameters, and what the device promises about the order of data.
func headerBlock(f *result.File) string {
	var b strings.Builder
	b.WriteString(rule)
	b.WriteString(strings.Repeat(" ", 20) + fullTitle(f) + "\n")
	for _, l := range slices.Concat(parameters(f), promises(f)) {
		fmt.Fprintf(&b, " %-16s: %s", l[0], Clean(l[1]))
		if len(l) == 4 {
			fmt.Fprintf(&b, "\t\t%-15s: %s", l[2], Clean(l[3]))
		}
		b.WriteByte('\n')
	}
	b.WriteString(rule)
	return b.String()
}

// parameters lists name and value, one pair or two, of each line of the header block:
// the options, with what perftest's header has of the device between them.
func parameters(f *result.File) [][]string {
	d := f.Local.Device
	lines := [][]string{{"Device", d.Name}}
	for _, s := range f.Parameters.Settings() {
		line := []string{s.Option.Label, s.Text}
		switch s.Option.Name {
		case "qp":
			line = append(line, "Transport type", transportType(d))
		}
		if s.Header && !(s.Option.Name == "inline_size" && result.RoundTrip(f.Op)) {
			lines = append(lines, line)
		}
		switch s.Option.Name {
		case "mtu":
			lines = append(lines, []string{"Link type", d.LinkLayer})
		case "rdma_cm":
			if d.GIDIndex >= 0 {
				lines = append(lines, []string{"GID index", strconv.Itoa(d.GIDIndex)})
			}
		}
	}
	return lines
}

// promises lists what perftest's header lacks: how arrival is detected and
// what each side's device answered about the order of data.
func promises(f *result.File) [][]string {
	list := [][]string{{"Completion", completion(&f.Parameters)}}
	if f.Channel != "" {
		list = append(list, []string{"Control channel", f.Channel})
	}
	if here, peer := f.Local.PinnedCPU, f.Peer.PinnedCPU; here != nil || peer != nil {
		list = append(list, []string{"Measuring CPUs", pinned(here) + " here, " + pinned(peer) + " at the peer"})
	}
	if f.Parameters.NoData() == "" {
		list = append(list, orderLines(f)...)
	}
	if s := SoftwareLabel(f); s != "" {
		list = append(list, []string{"Software device", s})
	}
	if f.Local.ClockNs > 0 && f.Kind == result.KindLatency {
		list = append(list, []string{"Clock", clockText(f.Local) + ", " + readings(f)})
	}
	return list
}

// orderLines are what both sides were asked about the order of data, and what they answered.
func orderLines(f *result.File) [][]string {
	list := [][]string{{"Data in order?", f.Local.Order.Query}}
	if q := f.Peer.Order.Query; q != "" && q != f.Local.Order.Query {
		list = append(list, []string{" asked by peer", q})
	}
	return append(list, []string{" answer here", answer(f.Local.Order)}, []string{" answer at peer", answer(f.Peer.Order)})
}

// pinned is the CPU that a measuring thread was kept on.
func pinned(cpu *int) string {
	if cpu == nil {
		return "any"
	}
	return strconv.Itoa(*cpu)
}

// completion lists the modes that were run, and what was asked for.
func completion(p *result.Parameters) string {
	modes, asked := strings.Join(p.Modes, ", "), string(p.Completion)
	if p.Compare {
		asked = "compare"
	}
	if asked == "" || asked == modes {
		return modes
	}
	return modes + " (asked for: " + asked + ")"
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
