package verdict

import (
	"slices"

	"github.com/ibperf/ibperf/internal/printable"
	"github.com/ibperf/ibperf/internal/units"
	"github.com/ibperf/ibperf/reports/phrase"
	"github.com/ibperf/ibperf/reports/rows"
)

// place fills in where the runs were made.
func (b *Brief) place(f *findings) {
	for _, run := range f.compared {
		client, server := &run.Local, &run.Peer
		if run.Role == "server" {
			client, server = server, client
		}
		for _, d := range []Device{deviceOf(client), deviceOf(server)} {
			b.Devices = phrase.AddNew(b.Devices, d)
			b.Hosts = phrase.AddNew(b.Hosts, d.Host)
		}
		b.Transports = phrase.AddNew(b.Transports, printable.Clean(rows.Connection(run)))
	}
}

// whereLine names hosts, devices and transports, and says which devices are software.
func (b *Brief) whereLine() Line {
	var names, short, software []string
	for _, d := range b.Devices {
		if name := d.Name; !slices.Contains(short, name) {
			short = append(short, name)
			if d.LinkRate > 0 {
				name += " (" + threeDigits(units.Gbps(d.LinkRate)) + " Gb/s)"
			}
			names = append(names, name)
		}
		if d.Software != "" {
			software = phrase.AddNew(software, d.Software)
		}
	}
	note, what := "", ""
	if len(software) > 0 {
		note = "; software device, which says nothing about hardware"
		what = "; software device: " + phrase.List(software)
	}
	if real := slices.ContainsFunc(b.Devices, func(d Device) bool { return d.Software == "" }); real && note != "" {
		note = "; some runs on a software device"
	}
	const room = MaxWidth - labelWidth
	transports := ", " + listed(b.Transports, ", ", 20)
	whole := func(names []string, note string) string {
		return listed(b.Hosts, ", ", room/3) + ", " + listed(names, ", ", room/3) + transports + note
	}
	return Line{"where", "VERDICT", fits(room, whole(names, what), whole(names, note), whole(short, note), whole(short, "; software device"))}
}
