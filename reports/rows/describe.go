package rows

import (
	"fmt"
	"strings"

	"github.com/ibperf/ibperf/internal/printable"
	"github.com/ibperf/ibperf/option"
	"github.com/ibperf/ibperf/result"
)

// TestTitle returns the name of a test in perftest's words: "RDMA_Write Latency Test".
func TestTitle(op option.Op, kind option.Kind) string {
	verbs := map[option.Op]string{option.OpWrite: "RDMA_Write", option.OpRead: "RDMA_Read", option.OpSend: "Send", option.OpAtomic: "Atomic"}
	verb, ok := verbs[op]
	if !ok {
		verb = printable.Clean(string(op))
	}
	if kind == option.KindLatency {
		return verb + " Latency Test"
	}
	return verb + " BW Test"
}

// SoftwareLabel returns what replaces RDMA hardware in a run, or "" if both devices are hardware.
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

// OrderAnswer returns the device's answer about data order.
func OrderAnswer(o result.Order) string {
	if o.Answer == "" {
		return result.OrderUnknown
	}
	return o.Answer
}

// OrderAnswers returns the device's answer about data order, and that for QPs with out-of-order placement,
// if there are any.
func OrderAnswers(o result.Order) string {
	if o.OutOfOrder == "" {
		return OrderAnswer(o)
	}
	return OrderAnswer(o) + "; QPs with out-of-order placement: " + o.OutOfOrder
}

// Connection returns the transport of a run, and whether its QPs share a receive queue: "RC with
// SRQ". It does not mention the SRQ of XRC, which always has one.
func Connection(f *result.File) string {
	text := string(f.Parameters.Transport)
	if f.Parameters.UseSRQ && f.Parameters.Transport != option.XRC {
		text += " with SRQ"
	}
	return text
}

// ClockText returns the clock of a side and the cost of reading it, or "" if that cost is unknown.
func ClockText(s result.Side) string {
	if s.ClockNs == 0 {
		return ""
	}
	text := fmt.Sprintf("%.0f ns a reading", s.ClockNs)
	if s.ClockStepNs > 0 {
		text += fmt.Sprintf(", steps of %.0f ns", s.ClockStepNs)
	}
	if s.Clock == "" { // a file of an earlier release
		return text
	}
	return s.Clock + ", " + text
}

// RunLine describes a run in one line.
func RunLine(f *result.File) string {
	p := f.Parameters
	line := fmt.Sprintf("%s, %s on %s, device %s, %s, QPs %d", f.Program, f.Role, f.Local.Host, f.Local.DeviceNames(), Connection(f), p.QPs)
	if p.Threads > 1 {
		line += fmt.Sprintf(", threads %d", p.Threads)
	}
	if f.Kind == option.KindBandwidth {
		line += fmt.Sprintf(", TX depth %d, CQ moderation %d", p.TxDepth, p.CQMod)
	}
	if !f.Started.IsZero() {
		line += ", " + f.Started.UTC().Format("2006-01-02 15:04:05 UTC")
	}
	return printable.Clean(line)
}

// JoinModes lists modes, separated by commas.
func JoinModes(modes []option.Mode) string {
	var names []string
	for _, m := range modes {
		names = append(names, string(m))
	}
	return strings.Join(names, ", ")
}
