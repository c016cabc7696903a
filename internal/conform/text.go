package conform

import (
	"fmt"
	"strings"
	"time"
)

// indent is the width of the columns left of a statement's text.
const indent = 18

// Head returns the text above the statements.
func (r *Report) Head() string {
	var b strings.Builder
	fmt.Fprintf(&b, "device %s port %d, GID %d %s", r.Device.Name, r.Device.Port, r.Device.GIDIndex, r.Device.GID)
	if r.Device.Software != "" {
		fmt.Fprintf(&b, " (software: %s)", r.Device.Software)
	}
	b.WriteByte('\n')
	for _, c := range []struct{ what, value string }{
		{"driver", r.Device.Driver}, {"part", r.Device.Part}, {"board", r.Device.Board}, {"firmware", r.Device.Firmware},
		{"PCI address", r.Device.PCIAddress}, {"link rate", r.Device.LinkRate},
	} {
		if c.value != "" {
			fmt.Fprintf(&b, "%s %s, ", c.what, c.value)
		}
	}
	fmt.Fprintf(&b, "ibperf %s, Linux %s, backend %s: %s\n", r.Release, r.Kernel, r.Device.Backend, r.Libraries[r.Device.Backend])
	if r.Peer != nil {
		fmt.Fprintf(&b, "second processes at %s, device %s\n", r.Peer.Address, r.Peer.Device)
	}
	return b.String() + "\n" + r.CapsText + "\n"
}

// Line returns the text of a statement: its result, its wording, and for results other than ok the
// reason and the source.
func (s *Statement) Line() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%-8s %-8s %s\n", s.Result, s.ID, s.Text)
	note := func(text string) { fmt.Fprintf(&b, "%*s%s\n", indent, "", text) }
	if s.Reason != "" && s.Result != "differs" {
		by := ""
		if len(s.Quirks) > 0 {
			by = strings.Join(s.Quirks, ", ") + ": "
		}
		note(by + s.Reason)
	}
	for _, text := range s.NotRun {
		note("skipped: " + text)
	}
	switch s.Result {
	case "allowed":
		note("source: " + s.Hardware)
	case "differs":
		note("source: " + s.Source)
		output := s.Output // includes the reason
		if len(output) == 0 || strings.HasPrefix(s.Reason, brokenWorker) {
			output = append([]string{s.Reason}, output...)
		}
		for _, text := range output {
			note("  " + strings.ReplaceAll(strings.TrimSpace(text), "\n", fmt.Sprintf("\n%*s", indent+4, "")))
		}
	}
	return b.String()
}

// Tail returns the text below the statements.
func (r *Report) Tail() string {
	var b strings.Builder
	c := &r.Counts
	fmt.Fprintf(&b, "\n%d statements in %v: %d ok, %d as a known quirk says, %d differ as hardware may, %d skipped, %d differ\n",
		c.Run(), r.Finished.Sub(r.Started).Round(time.Second/10), c.OK, c.Quirk, c.Allowed, c.Skipped, c.Differs)
	if c.LeftOut > 0 {
		fmt.Fprintf(&b, "%d more are not asserted by the suite; --list says why\n", c.LeftOut)
	}
	if c.NotRun > 0 {
		fmt.Fprintf(&b, "%d were not run\n", c.NotRun)
	}
	if ids := r.WithPeer(); len(ids) > 0 {
		where := "on this host"
		if r.Peer != nil {
			where = "at " + r.Peer.Address
		}
		fmt.Fprintf(&b, "with a second process %s: %s\n", where, strings.Join(ids, ", "))
	}
	for _, u := range r.Unmatched {
		fmt.Fprintf(&b, "quirk %s matched nothing: %s\n", u.ID, u.Why)
	}
	return b.String()
}
