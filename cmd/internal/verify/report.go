package verify

import (
	"fmt"
	"strings"
	"time"

	"github.com/ibperf/ibperf/internal/outfolder"
	"github.com/ibperf/ibperf/internal/units"
	"github.com/ibperf/ibperf/option"
	"github.com/ibperf/ibperf/reports/table"
)

// ReportName is the name of the report in the folder of its journal.
const ReportName = "report.txt"

// ruleOfThree is the number of errors that a 95 % confidence interval still allows when none was seen in N messages:
// the upper bound of the rate is 3/N.
const ruleOfThree = 3

// File returns the content of the report's file.
func (j *Journal) File() []byte { return []byte(outfolder.ReportMark + j.Report(0)) }

// Report returns what was checked and found, in lines of a width; 0 is unlimited.
func (j *Journal) Report(width int) string {
	t := &j.Totals
	var b strings.Builder
	all, bad := t.Checked()
	if all == 0 {
		return "VERIFY\n None: no checkpoint was reached.\n"
	}
	fmt.Fprintf(&b, "VERIFY  %s of %s checked, %s to %s, begun %s\n", rounded(t.Seconds), rounded(j.Head.Duration),
		t.From.Format(time.RFC3339), t.To.Format(time.RFC3339), times(t.Sittings))
	for _, side := range []struct {
		name string
		*Side
	}{{"client", &t.Client}, {"server", &t.Server}} {
		fmt.Fprintf(&b, " %s  %s, device %s, firmware %s, GID %s, %s, Linux %s\n", side.name, side.Host, side.Device, side.Firmware, side.GID, side.CPU, side.Kernel)
		if side.Software != "" {
			fmt.Fprintf(&b, "         software device: %s\n", side.Software)
		}
	}
	for _, change := range t.Changed {
		fmt.Fprintf(&b, " changed %s\n", change)
	}
	b.WriteString("\n" + t.table().Text(width) + "\n")
	for i := range t.Sums {
		if s := &t.Sums[i]; s.First != "" {
			fmt.Fprintf(&b, " first wrong %s of %d bytes, mode %s: %s\n", strings.ToUpper(string(s.Op)), s.Bytes, s.Mode, s.First)
		}
	}
	b.WriteString(t.conclusion(all, bad))
	return b.String()
}

// conclusion returns the sentences at the end.
func (t *Totals) conclusion(all, bad uint64) string {
	var b strings.Builder
	fmt.Fprintf(&b, " %s of %s messages wrong.\n", units.Count(bad), units.Count(all))
	polled, forced := false, false
	for i := range t.Sums {
		polled = polled || t.Sums[i].Mode != option.ModeData
		forced = forced || t.Sums[i].Forced
	}
	if polled {
		b.WriteString(" Rows of other modes than data say nothing about data order: mode data was not possible there, and arrival was detected by completions.\n")
	}
	if forced {
		b.WriteString(" The device does not promise data order: memory was polled with --force-data.\n")
	}
	b.WriteString(" It holds for these devices, firmware, path, CPUs and load only; docs/ORDER-PROOF.md says what it does not show.\n")
	return b.String()
}

// table returns the sums as a table.
func (t *Totals) table() *table.Table {
	all := &table.Table{Keys: 3, Columns: []table.Column{
		{Name: "operation", Left: true}, {Name: "size", Unit: "B"}, {Name: "mode", Left: true},
		{Name: "checked", Unit: "messages"}, {Name: "torn"}, {Name: "stale"}, {Name: "duplicates"}, {Name: "error rate", Left: true},
	}}
	for i := range t.Sums {
		s := &t.Sums[i]
		all.Add(strings.ToUpper(string(s.Op)), units.Size(s.Bytes), string(s.Mode), units.Count(s.Checked), units.Count(s.Torn), units.Count(s.Stale), units.Count(s.Duplicates), s.rate())
	}
	return all
}

// rate returns the rate of corrupted messages, or its upper bound if there were none.
func (s *Size) rate() string {
	switch {
	case s.Checked == 0:
		return "unknown"
	case s.Bad() > 0:
		return fmt.Sprintf("%.1e", float64(s.Bad())/float64(s.Checked))
	}
	return fmt.Sprintf("below %.1e (95 %%)", ruleOfThree/float64(s.Checked))
}

// rounded returns a time in seconds as a text.
func rounded(seconds float64) string {
	d := time.Duration(seconds * float64(time.Second))
	if d > time.Minute {
		return d.Round(time.Second).String()
	}
	return d.Round(10 * time.Millisecond).String()
}

func times(n int) string {
	if n == 1 {
		return "once"
	}
	return fmt.Sprintf("%d times", n)
}
