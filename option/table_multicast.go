package option

import (
	"errors"
	"net/netip"
	"strconv"
	"strings"

	"github.com/ibperf/ibperf/verbs"
)

// multicastOptions are options of messages to multicast groups.
var multicastOptions = []*Option{
	{
		Name: "mcg", Letter: "g", Group: groupTransport, Only: sends,
		Help:     "send to multicast groups with one UD QP; each side joins a group of its own",
		Perftest: "on RoCE and embedded devices; refused on InfiniBand, where joining a group needs the subnet manager",
		Meaning:  "messages were sent to multicast groups",
		JSON:     "multicast", Label: "Multicast", Header: WhenSet,
		Excludes: []Exclusion{
			{Name: "compare", Why: "a comparison needs connected QPs for its modes"}, {Name: "rdma_cm", Why: "rdma_cm resolves the address of the peer, not of a group"},
		},
		value: toggle(func(s *Settings) *bool { return &s.Multicast }),
	}, {
		Name: "MGID", Letter: "M", Argument: "GID", Group: groupTransport, Only: sends,
		Help:     "with --mcg: the server's group, as 16 decimal bytes 255:1:0:... or an IPv4 or IPv6 address; the client's group is the next address",
		Default:  "a group with a random number",
		Perftest: "also an IP address",
		Meaning:  "the server's multicast group; empty: one with a random number",
		JSON:     "mgid", Label: "MGID", Header: WhenSet,
		value: text(func(s *Settings) *string { return &s.MGID }, func(text string) error {
			_, err := ParseGroup(text)
			return err
		}),
	},
}

// ParseGroup parses a multicast group: 16 decimal bytes with colons between them, as in perftest, or
// an IP address.
func ParseGroup(text string) (g verbs.GID, err error) {
	syntax := errors.New("write a multicast group as 255:1:0:0:0:2:201:133:0:0:0:0:0:0:0:0, ff12::1 or 239.1.2.3")
	if parts := strings.Split(text, ":"); len(parts) == len(g) {
		for i, part := range parts {
			n, err := strconv.ParseUint(part, 10, 8)
			if err != nil {
				return g, syntax
			}
			g[i] = byte(n)
		}
	} else {
		a, err := netip.ParseAddr(text)
		if err != nil {
			return g, syntax
		}
		g = a.As16()
	}
	if !netip.AddrFrom16(g).Unmap().IsMulticast() {
		return g, errors.New("it is not a multicast group: write one of ff00::/8 or 224.0.0.0/4")
	}
	return g, nil
}
