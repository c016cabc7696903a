package perftest

import (
	"encoding/binary"
	"fmt"

	"github.com/ibperf/ibperf/verbs"
)

// Opening holds what the sides exchange before a test.
type Opening struct {
	Cycle int       // bytes
	Line  int       // bytes
	MTU   verbs.MTU // of the path
}

// Limits of an opening. Pages and cache lines are powers of two, and no machine has larger ones.
const (
	maxCycle = 1 << 20
	maxLine  = 1 << 12
)

// open exchanges the openings and returns what both sides use.
func (c *conversation) open(mine Opening) (both Opening, err error) {
	if both.Cycle, err = c.exchangeLarger("page size", mine.Cycle, maxCycle); err != nil {
		return both, err
	}
	if both.Line, err = c.exchangeLarger("cache line size", mine.Line, maxLine); err != nil {
		return both, err
	}
	theirs, err := c.exchange("MTU", []byte{'0' + byte(mine.MTU), 0})
	if err != nil {
		return both, err
	}
	both.MTU = mine.MTU
	if m := verbs.MTU(theirs[0] - '0'); m >= verbs.MTU256 && m < mine.MTU {
		both.MTU = m
	}
	return both, nil
}

// exchangeLarger exchanges a number and returns the larger one.
func (c *conversation) exchangeLarger(what string, mine, limit int) (int, error) {
	theirs, err := c.exchange(what, binary.BigEndian.AppendUint32(nil, uint32(mine)))
	if err != nil {
		return 0, err
	}
	n := binary.BigEndian.Uint32(theirs)
	if n > uint32(limit) {
		return 0, malformed(what, fmt.Errorf("%d, the limit is %d", n, limit))
	}
	return max(mine, int(n)), nil
}
