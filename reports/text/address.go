package text

import (
	"fmt"
	"strings"

	"github.com/ibperf/ibperf/option"
)

// An Address holds the numbers of a QP in the header, those of perftest's ctx_print_pingpong_data.
type Address struct {
	Remote    bool // the peer's
	LID       uint16
	QPN, PSN  uint32
	Reads     uint8  // outstanding READs
	RKey, SRQ uint32 // SRQ: 0 without XRC
	VAddr     uint64
	GID       [16]byte // zero on a link that has only LIDs
}

// addressBlock returns the lines of addresses in the header, which a rule ends.
func addressBlock(op option.Op, all []Address) string {
	if len(all) == 0 {
		return ""
	}
	var b strings.Builder
	for i := range all {
		b.WriteString(all[i].lines(op))
	}
	return b.String() + rule
}

// lines returns the lines of an address: the bytes of a GID are decimal.
func (a *Address) lines(op option.Op) string {
	side := "local"
	if a.Remote {
		side = "remote"
	}
	line := fmt.Sprintf(" %s address: LID %s QPN %s PSN %s", side, hex(uint64(a.LID), 4), hex(uint64(a.QPN), 6), hex(uint64(a.PSN), 6))
	if op == option.OpRead {
		line += " OUT " + hex(uint64(a.Reads), 4)
	}
	if op == option.OpRead || op == option.OpWrite {
		line += fmt.Sprintf(" RKey %s VAddr %s", hex(uint64(a.RKey), 8), hex(a.VAddr, 16))
	}
	if a.SRQ > 0 {
		line += " SRQn " + hex(uint64(a.SRQ), 8)
	}
	if a.GID != [16]byte{} {
		line += "\n GID:"
		for i, octet := range a.GID {
			line += fmt.Sprintf("%c%02d", " :"[min(i, 1)], octet)
		}
	}
	return line + "\n"
}

// hex returns a number as C's %#0WIDTHx: without 0x if it is 0.
func hex(n uint64, width int) string {
	if n == 0 {
		return strings.Repeat("0", width)
	}
	return fmt.Sprintf("0x%0*x", width-2, n)
}
