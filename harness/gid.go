package harness

import (
	"fmt"
	"net/netip"

	"github.com/ibperf/ibperf/verbs"
)

// pickGID returns the GID to use: the entry of the index, or, for index -1, the
// best of the port's table: RoCE v2 over an IPv4 address, then over any global
// one, then whatever there is. A port addressed by LID alone needs none.
func pickGID(c verbs.Context, port, index int, attr verbs.PortAttr) (verbs.GIDEntry, error) {
	if index >= 0 {
		e, err := c.QueryGID(port, index)
		if err != nil {
			return e, fmt.Errorf("GID index %d of port %d: %w", index, port, err)
		}
		return e, nil
	}
	best, score := verbs.GIDEntry{}, -1
	for i := range attr.GIDTableLen {
		e, err := c.QueryGID(port, i)
		if err != nil || e.GID == (verbs.GID{}) {
			continue
		}
		if s := gidScore(e); s > score {
			best, score = e, s
		}
	}
	if score < 0 && attr.LinkLayer == verbs.LinkEthernet {
		return best, fmt.Errorf("port %d has no GID: give its network interface an address", port)
	}
	if score < 0 || attr.LinkLayer != verbs.LinkEthernet && !attr.GRHRequired {
		return verbs.GIDEntry{}, nil
	}
	return best, nil
}

func gidScore(e verbs.GIDEntry) int {
	score := 0
	if e.Type == verbs.GIDTypeRoCEv2 {
		score += 4
	}
	switch a := netip.AddrFrom16(e.GID); {
	case a.Is4In6():
		score += 2
	case !a.IsLinkLocalUnicast():
		score++
	}
	return score
}
