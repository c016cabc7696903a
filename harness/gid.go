package harness

import (
	"fmt"

	"github.com/ibperf/ibperf/verbs"
)

// pickGID returns the GID to use: the entry of the index, or, for index -1, the
// best of the port's table. A port addressed by LID alone needs none.
func pickGID(c verbs.Context, port, index int, attr verbs.PortAttr) (verbs.GIDEntry, error) {
	if index >= 0 {
		e, err := c.QueryGID(port, index)
		if err != nil {
			return e, fmt.Errorf("GID index %d of port %d: %w", index, port, err)
		}
		return e, nil
	}
	if attr.LinkLayer != verbs.LinkEthernet && !attr.GRHRequired {
		return verbs.GIDEntry{Index: -1}, nil
	}
	var table []verbs.GIDEntry
	for i := range attr.GIDTableLen {
		if e, err := c.QueryGID(port, i); err == nil {
			table = append(table, e)
		}
	}
	best, ok := verbs.BestGID(table)
	if !ok {
		return best, fmt.Errorf("port %d has no GID: give its network interface an address", port)
	}
	return best, nil
}
