package verbs

import "net/netip"

// BestGID returns the entry of a GID table to use when nobody says which: RoCE
// v2 over an IPv4 address, then over any global one, then whatever there is. It
// is false if no entry is set.
func BestGID(entries []GIDEntry) (best GIDEntry, ok bool) {
	score := -1
	for _, e := range entries {
		if s := gidScore(e); e.GID != (GID{}) && s > score {
			best, score = e, s
		}
	}
	return best, score >= 0
}

func gidScore(e GIDEntry) int {
	score := 0
	if e.Type == GIDTypeRoCEv2 {
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
