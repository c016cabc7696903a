package rows

import (
	"strings"

	"github.com/ibperf/ibperf/internal/printable"
	"github.com/ibperf/ibperf/option"
	"github.com/ibperf/ibperf/result"
)

// What perftest prints of a run: the title, the counts of a row, and the columns of a latency test.

// FullTitle returns the name of a run's test in perftest's words: "RDMA_Write Bidirectional Post List BW Test",
// "Atomic FETCH_AND_ADD Latency Test".
func FullTitle(f *result.File) string {
	p := &f.Parameters
	verb, rest, _ := strings.Cut(TestTitle(f.Op, f.Kind), " ")
	if p.WriteWithImm || p.SendWithImm {
		verb += "_imm"
	}
	words := []string{verb}
	if f.Op == option.OpAtomic {
		words = append(words, printable.Clean(string(p.AtomicType)))
	}
	if p.Both {
		words = append(words, "Bidirectional")
	}
	if p.PostList > 1 {
		words = append(words, "Post List")
	}
	if p.Multicast {
		rest = strings.Replace(rest, "Test", "Multicast Test", 1)
	}
	return strings.Join(append(words, rest), " ")
}

// AsPerftest returns a row whose messages and peak are those of perftest's columns. In a bidirectional test
// #iterations counts the messages that this side sends or READs, or half of all if the directions are
// unknown. A counted run always has a peak: if it was too short for a window, that of the whole, its average.
func AsPerftest(f *result.File, r *result.Row) *result.Row {
	if r.Bandwidth == nil {
		return r
	}
	one, b := *r, *r.Bandwidth
	if b.Peak == 0 && !f.Parameters.NoPeak && !timed(f) {
		b.Peak = b.Average
	}
	if f.Parameters.Both {
		b.Messages /= 2
		if local, _ := r.Directions(f.Role, f.Op); local != nil {
			b.Messages = local.Bandwidth.Messages
		}
	}
	one.Bandwidth = &b
	return &one
}

// timed reports whether a run has a duration rather than a number of messages.
func timed(f *result.File) bool { return f.Parameters.Duration > 0 }

// MeanAlone reports whether rows have perftest's columns of runs with a duration. Comparisons have a
// duration by default and keep the other columns.
func MeanAlone(f *result.File) bool {
	return f.Parameters.NoPeak || timed(f) && !f.Parameters.Compare
}

// TransportType returns perftest's name of a device's transport.
func TransportType(d *result.Device) string {
	if d.Backend == "shm" {
		return "SHM"
	}
	return "IB"
}
