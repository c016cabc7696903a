package verbstest

import (
	"syscall"

	"github.com/ibperf/ibperf/verbs"
)

var portStatements = []statement{
	{"PORT-1", "every port has a state, MTUs and a message size that make sense", ports},
	{"PORT-2", "ports are numbered from 1 to phys_port_cnt", noSuchPort},
	{"PORT-3", "a RoCE port has no LIDs, needs a GRH and is up", rocePort},
	{"PORT-5", "within the GID table every entry is either set or said to be empty", gidOrEmpty},
	{"PORT-6", "outside of the GID table there are no entries", outsideGIDTable},
	{"PORT-7", "an empty GID entry is ENODATA; outside of the table is EINVAL", queryGID},
	{"PORT-8", "the whole GID table equals its entries, and needs room for all of them", wholeGIDTable},
	{"PORT-9", "a GID entry knows its port, its index and its type", gidEntries},
	{"PORT-10", "the P_Key table begins with the default partition, and ends", partitionKeys},
	{"PORT-11", "a P_Key is found at its index, and no other P_Key is found", partitionKeyIndex},
	{"PORT-13", "the port counts UD messages with a wrong Q_Key", qkeyViolation},
}

func ports(e *env) {
	ctx := e.open()
	for n := 1; n <= e.device(ctx).PhysPortCount; n++ {
		p, err := ctx.QueryPort(n)
		e.ok(err)
		if p.State > verbs.PortActiveDefer || p.ActiveMTU > p.MaxMTU || p.ActiveMTU.Bytes() == 0 || p.MaxMsgSize <= 0x1000 {
			e.Errorf("port %d: %+v", n, p)
		}
	}
}

func noSuchPort(e *env) {
	ctx := e.open()
	for _, n := range []int{-1, 0, e.device(ctx).PhysPortCount + 1, 256 + e.target.Port} {
		_, err := ctx.QueryPort(n)
		e.refused("query_port", err, syscall.EINVAL)
	}
}

func rocePort(e *env) {
	p := e.port(e.open())
	if p.LinkLayer != verbs.LinkEthernet {
		e.Skipf("the link is %s, not Ethernet", p.LinkLayer)
	}
	const linkUp = 5
	if p.LID != 0 || p.SMLID != 0 || p.LMC != 0 || !p.GRHRequired || p.State != verbs.PortActive || p.PhysState != linkUp {
		e.Errorf("%+v", p)
	}
}

func queryGID(e *env) {
	ctx := e.open()
	size := e.port(ctx).GIDTableLen
	if i := emptyGID(ctx, e.target.Port, size); i >= 0 {
		_, err := ctx.QueryGID(e.target.Port, i)
		e.refused("query_gid of an empty entry", err, syscall.ENODATA)
	}
	for _, at := range [][2]int{{0, 0}, {e.device(ctx).PhysPortCount + 1, 0}, {e.target.Port, size}, {e.target.Port, -1}} {
		_, err := ctx.QueryGID(at[0], at[1])
		e.refused("query_gid", err, syscall.EINVAL)
	}
}

// emptyGID returns the index of an empty entry, or -1.
func emptyGID(ctx verbs.Context, port, size int) int {
	for i := range size {
		if _, err := ctx.QueryGID(port, i); err != nil {
			return i
		}
	}
	return -1
}

func gidEntries(e *env) {
	ctx := e.open()
	port := e.port(ctx)
	table := gidTable(ctx, e.target.Port, port.GIDTableLen)
	if len(table) == 0 {
		e.Fatal("no entry is set")
	}
	for _, g := range table {
		roce := g.Type == verbs.GIDTypeRoCEv1 || g.Type == verbs.GIDTypeRoCEv2
		if g.Port != e.target.Port || g.GID == (verbs.GID{}) || roce != (port.LinkLayer == verbs.LinkEthernet) {
			e.Errorf("%+v", g)
		}
		again, err := ctx.QueryGID(e.target.Port, g.Index)
		if err != nil || again != g {
			e.Errorf("entry %d: %+v, then %+v, %v", g.Index, g, again, err)
		}
	}
}
