package verbs

import (
	"net/netip"
	"slices"
)

// GIDClass holds the properties that the GIDs of two ports must share to reach each
// other: the packet format and, on Ethernet, the address family and the scope.
type GIDClass struct {
	Type      GIDType `json:"type"`
	IPv4      bool    `json:"ipv4"`
	LinkLocal bool    `json:"link_local"`
}

// Class returns the class of the entry's GID.
func (e GIDEntry) Class() GIDClass {
	c := GIDClass{Type: e.Type}
	if e.Type != GIDTypeIB {
		a := netip.AddrFrom16(e.GID).Unmap()
		c.IPv4, c.LinkLocal = a.Is4(), a.IsLinkLocalUnicast()
	}
	return c
}

// String returns the class in words: "RoCE v2 IPv6 link-local".
func (c GIDClass) String() string {
	if c.Type == GIDTypeIB {
		return c.Type.String()
	}
	text := c.Type.String() + " IPv6"
	if c.IPv4 {
		text = c.Type.String() + " IPv4"
	}
	if c.LinkLocal {
		text += " link-local"
	}
	return text
}

// BestGIDClass returns the preferred one of the classes that both ports have, the same
// on both sides. It prefers RoCE v2, then the scope and then the address family of inUse,
// the addresses of the two sides' TCP connection. Without such an address, or with
// loopback addresses, it prefers global IPv4. ok is false if the ports have no class in
// common.
func BestGIDClass(a, b []GIDClass, inUse ...netip.Addr) (best GIDClass, ok bool) {
	prefer := preferenceOf(inUse)
	score := -1
	for _, c := range a {
		for _, other := range b {
			if s := prefer.score(c); c == other && s > score {
				best, score = c, s
			}
		}
	}
	return best, score >= 0
}

// preference holds the properties of the addresses in use.
type preference struct{ linkLocal, ipv4, ipv6 bool }

func preferenceOf(inUse []netip.Addr) (p preference) {
	for _, a := range inUse {
		a = a.Unmap()
		if !a.IsValid() || a.IsLoopback() {
			continue
		}
		p.linkLocal = p.linkLocal || a.IsLinkLocalUnicast()
		p.ipv4, p.ipv6 = p.ipv4 || a.Is4(), p.ipv6 || a.Is6()
	}
	return p
}

func (p preference) score(c GIDClass) int {
	score := 0
	if c.Type == GIDTypeRoCEv2 {
		score += 4
	}
	if c.LinkLocal == p.linkLocal {
		score += 2
	}
	if c.IPv4 == (p.ipv4 || !p.ipv6) {
		score++
	}
	return score
}

// FirstGID returns the entry of the class with the address, or else the first entry of
// the class. ok is false if the class has no entry.
func FirstGID(entries []GIDEntry, class GIDClass, address netip.Addr) (first GIDEntry, ok bool) {
	for _, e := range entries {
		if e.GID == (GID{}) || e.Class() != class {
			continue
		}
		if netip.AddrFrom16(e.GID).Unmap() == address.Unmap() {
			return e, true
		}
		if !ok {
			first, ok = e, true
		}
	}
	return first, ok
}

// GIDClasses returns the classes of the non-empty entries, each once, in the order of
// the entries.
func GIDClasses(entries []GIDEntry) []GIDClass {
	var classes []GIDClass
	seen := map[GIDClass]bool{}
	for _, e := range entries {
		if c := e.Class(); e.GID != (GID{}) && !seen[c] {
			seen[c] = true
			classes = append(classes, c)
		}
	}
	return classes
}

// BestGID returns the preferred entry of a port for an unknown peer. The table may hold
// the entries of all ports. It returns false if the port has no entry.
func BestGID(table []GIDEntry, port int) (GIDEntry, bool) {
	entries := slices.DeleteFunc(slices.Clone(table), func(e GIDEntry) bool { return e.Port != port })
	classes := GIDClasses(entries)
	class, ok := BestGIDClass(classes, classes)
	if !ok {
		return GIDEntry{}, false
	}
	return FirstGID(entries, class, netip.Addr{})
}
