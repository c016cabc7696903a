package text

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/ibperf/ibperf/internal/printable"
	"github.com/ibperf/ibperf/option"
	"github.com/ibperf/ibperf/reports/rows"
	"github.com/ibperf/ibperf/result"
)

// ruleWidth is the length of the dashed lines around header and rows.
const ruleWidth = 87

var rule = strings.Repeat("-", ruleWidth) + "\n"

// headerBlock returns the header of a run: test, device, parameters, the device's promise about data order, and
// warnings.
func headerBlock(f *result.File, warnings []string) string {
	var b strings.Builder
	b.WriteString(rule)
	b.WriteString(strings.Repeat(" ", 20) + rows.FullTitle(f) + "\n")
	for _, l := range slices.Concat(parameters(f), promises(f)) {
		fmt.Fprintf(&b, " %-16s: %s", l[0], printable.Clean(l[1]))
		if len(l) == 4 {
			fmt.Fprintf(&b, "\t\t%-15s: %s", l[2], printable.Clean(l[3]))
		}
		b.WriteByte('\n')
	}
	for _, line := range warnings {
		b.WriteString(" WARNING: " + line + "\n")
	}
	b.WriteString(rule)
	return b.String()
}

// parameters returns the lines of parameters in the header, each with one or two pairs of name and
// value: the options, and the device's properties in the order of perftest's header.
func parameters(f *result.File) [][]string {
	d := f.Local.Device
	lines := [][]string{{"Device", f.Local.DeviceNames()}}
	if why := f.Local.DeviceChoice; why != "" {
		lines = append(lines, []string{"Device choice", why})
	}
	for _, s := range f.Parameters.Settings() {
		line := []string{s.Option.Label, s.Text}
		if perDevice := s.Option.Name == "qp" || s.Option.Name == "threads"; perDevice && f.Local.Several() {
			line[1] += " on each device"
		}
		switch s.Option.Name {
		case "qp":
			line = append(line, "Transport type", rows.TransportType(&d))
		}
		hidden := s.Option.Name == "inline_size" && result.RoundTrip(f.Op) || s.Option.Name == "rx-depth" && !mayReceive(&f.Parameters)
		if s.Header && !hidden {
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

// mayReceive reports whether messages of a run may consume receives, so that the number of receives matters.
func mayReceive(p *result.Parameters) bool {
	switch {
	case p.Compare || p.Op == option.OpSend || p.WriteWithImm || p.Routing == option.RoutingAdaptive:
		return true
	case result.RoundTrip(p.Op):
		return false
	case p.Bandwidth():
		return p.Touch != option.TouchNone || p.Verify
	}
	return !slices.Equal(p.Modes, []option.Mode{option.ModeData})
}

// memory returns what holds the messages of a side.
func memory(gpu string) string {
	if gpu == "" {
		return "main memory"
	}
	return "GPU (" + gpu + ")"
}

// hints returns the hints in the PCIe requests to the messages of a side.
func hints(t *result.TPH) string {
	switch {
	case t == nil:
		return "none"
	case t.CPU == nil:
		return fmt.Sprintf("hint %d", t.Hint)
	}
	return fmt.Sprintf("hint %d for CPU %d (%s memory)", t.Hint, *t.CPU, t.Memory)
}

// promises returns the lines that perftest's header lacks: how arrival is detected, and what each
// side's device answered about data order.
func promises(f *result.File) [][]string {
	list := [][]string{{"Completion", completion(&f.Parameters)}}
	if p := f.Perftest; p != nil {
		list = append(list, []string{"Peer", "perftest " + p.Version + ", " + optionsOf(p)}, []string{"Figures of", string(p.Figures)})
	}
	if f.Channel != "" {
		list = append(list, []string{"Control channel", f.Channel})
	}
	if here, peer := pinned(&f.Local), pinned(&f.Peer); here != anyCPU || peer != anyCPU {
		list = append(list, []string{"Measuring CPUs", here + " here, " + peer + " at the peer"})
	}
	if here, peer := f.Local.TPH, f.Peer.TPH; here != nil || peer != nil {
		list = append(list, []string{"PCIe hints (TPH)", hints(here) + " here, " + hints(peer) + " at the peer"})
	}
	switch here, peer := f.Local.GPU, f.Peer.GPU; {
	case here != "" || peer != "":
		list = append(list, []string{"Message memory", memory(here) + " here, " + memory(peer) + " at the peer"})
	case f.Parameters.NoData() == "":
		list = append(list, orderLines(f)...)
	}
	if s := rows.SoftwareLabel(f); s != "" {
		list = append(list, []string{"Software device", s})
	}
	if f.Local.ClockNs > 0 && f.Kind == option.KindLatency {
		list = append(list, []string{"Clock", rows.ClockText(f.Local) + ", " + readings(f)})
	}
	return list
}

// optionsOf says whose options hold in a run with perftest.
func optionsOf(p *result.PerftestPeer) string {
	if p.Options == result.WhosePeer {
		return "whose options hold"
	}
	return "which sends no options: this side's hold, and must be its options too"
}

// orderLines returns the question about data order and the answer of each side.
func orderLines(f *result.File) [][]string {
	list := [][]string{{"Data in order?", f.Local.Order.Query}}
	if q := f.Peer.Order.Query; q != "" && q != f.Local.Order.Query {
		list = append(list, []string{" asked by peer", q})
	}
	return append(list, []string{" answer here", rows.OrderAnswers(f.Local.Order)}, []string{" answer at peer", rows.OrderAnswers(f.Peer.Order)})
}

// anyCPU stands for the CPUs of threads that are not pinned.
const anyCPU = "any"

// pinned returns the CPUs that the measuring threads of a side were pinned to: "3", or "3, 2".
func pinned(side *result.Side) string {
	switch {
	case side.PinnedCPU != nil:
		return strconv.Itoa(*side.PinnedCPU)
	case len(side.PinnedCPUs) > 0:
		return rows.CPUList(side.PinnedCPUs)
	}
	return anyCPU
}

// completion lists the modes that ran, and the mode that was asked for.
func completion(p *result.Parameters) string {
	modes, asked := rows.JoinModes(p.Modes), string(p.Completion)
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
