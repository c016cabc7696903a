package cli

import (
	"fmt"
	"slices"
	"strings"

	"github.com/ibperf/ibperf/internal/host"
	"github.com/ibperf/ibperf/internal/printable"
	"github.com/ibperf/ibperf/oob"
	"github.com/ibperf/ibperf/option"
	"github.com/ibperf/ibperf/verbs"
)

// identify returns what the peer learns about a device.
func identify(d verbs.Device) oob.DeviceID {
	return oob.DeviceID{Name: d.Name(), Backend: d.Backend(), Boot: host.BootID()}
}

// identities returns what the peer learns about this side's devices.
func (s *peerSession) identities() (all []oob.DeviceID) {
	for _, d := range s.devices {
		all = append(all, identify(d.Context.Device()))
	}
	return all
}

// isEmbedded reports whether a device is an embedded one, and not one of libibverbs.
func isEmbedded(d oob.DeviceID) bool { return d.Backend == embeddedBackend }

// decodePlan decodes and checks the plan of a peer, whose role is named. It refuses options that
// this release does not have, by their names.
func decodePlan(data []byte, t option.Test, peer, release string) (option.Plan, error) {
	me := map[string]string{"client": "server", "server": "client"}[peer]
	p, unknown, err := option.Decode(t, data)
	if err != nil {
		return p, &peerFault{fmt.Errorf("decode the %s's plan: %s", peer, shorten(err.Error()))}
	}
	if len(unknown) > 0 {
		slices.Sort(unknown)
		return p, conflict(fmt.Sprintf("the %s, ibperf %s, uses options that the %s, ibperf %s, does not have: %s; update ibperf on the %s, or leave these options out",
			peer, release, me, ownRelease, shorten(strings.Join(unknown, ", ")), me))
	}
	if err := p.Check(); err != nil {
		return p, &peerFault{fmt.Errorf("check the %s's plan: %s", peer, shorten(err.Error()))}
	}
	return p, nil
}

// checkDevices refuses devices that cannot reach each other: an embedded device and an RDMA
// device, or two embedded devices on two hosts.
func checkDevices(client, server oob.DeviceID) error {
	kind := map[bool]string{true: "an embedded device", false: "an RDMA device"}
	switch {
	case isEmbedded(client) != isEmbedded(server):
		return conflict(fmt.Sprintf("the client has %s, %s, and the server %s, %s, which cannot reach each other: name devices of one kind with -d",
			client.Name, kind[isEmbedded(client)], server.Name, kind[isEmbedded(server)]))
	case isEmbedded(client) && client.Boot != server.Boot:
		return conflict(fmt.Sprintf("the client has %s and the server %s, embedded devices, which reach each other within one host only, and the sides are on two hosts: "+
			"name RDMA devices with -d (ib_caps lists them), or run both sides on one host", client.Name, server.Name))
	}
	return nil
}

// compareReleases prints both releases if they differ, once.
func (s *peerSession) compareReleases(theirs string) {
	if theirs != ownRelease && s.series.IsFirst() {
		s.note("the peer has ibperf %s, this side %s", theirs, ownRelease)
	}
}

// maxText is the longest text of a peer that is printed, in bytes.
const maxText = 2000

// shorten cuts a text that may hold text of a peer.
func shorten(text string) string { return printable.Shorten(text, maxText) }
