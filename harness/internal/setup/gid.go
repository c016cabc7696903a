package setup

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"syscall"

	"github.com/ibperf/ibperf/oob"
	"github.com/ibperf/ibperf/verbs"
)

// maxGIDs is the number of GID table entries that an address vector can name: its sgid_index has 8
// bits.
const maxGIDs = 256

// findGIDs returns the entry of the index or, for index -1, all entries that are set.
func findGIDs(c verbs.Context, port, index int, attr verbs.PortAttr) ([]verbs.GIDEntry, error) {
	size := min(attr.GIDTableLen, maxGIDs)
	if index >= size {
		return nil, fmt.Errorf("GID index %d: the table of port %d ends at %d", index, port, size-1)
	}
	var table []verbs.GIDEntry
	var failed error // the first entry that could not be read, although it may be set
	for i := range size {
		e, err := c.QueryGID(port, i)
		switch {
		case err == nil && e.GID != (verbs.GID{}):
			table = append(table, e)
		case err != nil && !errors.Is(err, syscall.ENODATA) && failed == nil:
			failed = err
		}
	}
	switch {
	case failed != nil && len(table) == 0 && needsGID(index, attr):
		return nil, failed
	case index < 0:
		return table, nil
	}
	at := slices.IndexFunc(table, func(e verbs.GIDEntry) bool { return e.Index == index })
	if at < 0 {
		return nil, fmt.Errorf("GID index %d of port %d is empty; entries that are set: %s", index, port, indexes(table))
	}
	return table[at : at+1], nil
}

// preferIPv6 returns the entries of IPv6 addresses, or all if there are no such entries.
func preferIPv6(table []verbs.GIDEntry) []verbs.GIDEntry {
	six := slices.DeleteFunc(slices.Clone(table), func(e verbs.GIDEntry) bool { return e.Class().IPv4 })
	if len(six) == 0 {
		return table
	}
	return six
}

func indexes(table []verbs.GIDEntry) string {
	var texts []string
	for _, e := range table {
		texts = append(texts, fmt.Sprintf("%d (%s, %s)", e.Index, e.GID, e.Type))
	}
	if texts == nil {
		return "none"
	}
	return strings.Join(texts, ", ")
}

// needsGID reports whether a port is reached by a GID only, or the GID of an index was asked for.
func needsGID(index int, attr verbs.PortAttr) bool {
	return attr.LinkLayer != verbs.LinkInfiniBand || attr.GRHRequired || index >= 0 // the LIDs of EFA's ports are 0
}

// newOffer returns this side's offer of GIDs.
func (r *Resources) newOffer() (oob.Offer, error) {
	o := oob.Offer{
		Link: r.Port.LinkLayer, Classes: verbs.GIDClasses(r.gids), Peer: r.cfg.PeerIP.WithZone("").Unmap(),
		NeedsGID: needsGID(r.cfg.GIDIndex, r.Port),
		Longest:  r.Port.MaxMsgSize, OutOfOrder: r.offersOutOfOrder(),
	}
	if o.NeedsGID && len(r.gids) == 0 {
		return o, fmt.Errorf("port %d has no GID: give its network interface an address", r.cfg.Port)
	}
	return o, nil
}

// agreeGID returns the GID that this side uses, with index -1 if LIDs are sufficient on both sides.
func agreeGID(mine, theirs oob.Offer, table []verbs.GIDEntry) (verbs.GIDEntry, error) {
	if (mine.Link == verbs.LinkEthernet) != (theirs.Link == verbs.LinkEthernet) {
		return verbs.GIDEntry{}, Mismatchf(
			"the link of this side's port is %s and that of the peer's %s: name devices on one network with -d and -i", mine.Link, theirs.Link)
	}
	if !mine.NeedsGID && !theirs.NeedsGID {
		return verbs.GIDEntry{Index: -1}, nil
	}
	class, ok := verbs.BestGIDClass(mine.Classes, theirs.Classes, mine.Peer, theirs.Peer)
	if !ok {
		return verbs.GIDEntry{}, Mismatchf(
			"the ports have no kind of GID in common: this side's has %s, the peer's %s; give both network interfaces addresses of one kind, or name others with -x",
			classNames(mine.Classes), classNames(theirs.Classes))
	}
	e, _ := verbs.FirstGID(table, class, theirs.Peer) // this side's address, as the peer sees it
	return e, nil
}

func classNames(classes []verbs.GIDClass) string {
	if len(classes) == 0 {
		return "none"
	}
	var names []string
	for _, c := range classes {
		if !slices.Contains(names, c.String()) {
			names = append(names, c.String())
		}
	}
	return strings.Join(names, ", ") + " only"
}
