package verbstest

import (
	"errors"
	"slices"
	"syscall"

	"github.com/ibperf/ibperf/verbs"
)

func gidOrEmpty(e *env) {
	ctx := e.open()
	for i := range e.port(ctx).GIDTableLen {
		g, err := ctx.QueryGID(e.target.Port, i)
		if err == nil && g.GID == (verbs.GID{}) || err != nil && !errors.Is(err, syscall.ENODATA) {
			e.Errorf("entry %d: %+v, %v", i, g, err)
		}
	}
}

func outsideGIDTable(e *env) {
	ctx := e.open()
	size := e.port(ctx).GIDTableLen
	for _, i := range []int{-1, size, size + 1, 1 << 20} {
		_, err := ctx.QueryGID(e.target.Port, i)
		e.refused("query_gid", err, syscall.EINVAL)
	}
	for _, port := range []int{-1, 0, e.device(ctx).PhysPortCount + 1} {
		_, err := ctx.QueryGID(port, 0)
		e.refused("query_gid of a port that is not there", err, syscall.EINVAL)
	}
}

// allGIDs asks for the entries of all ports one by one.
func (e *env) allGIDs(ctx verbs.Context) (all []verbs.GIDEntry) {
	e.Helper()
	for port := 1; port <= e.device(ctx).PhysPortCount; port++ {
		attr, err := ctx.QueryPort(port)
		e.ok(err)
		all = append(all, gidTable(ctx, port, attr.GIDTableLen)...)
	}
	return all
}

func wholeGIDTable(e *env) {
	ctx := e.open()
	want := e.allGIDs(ctx)
	for _, room := range []int{len(want), len(want) + 100} {
		got, err := ctx.QueryGIDTable(room)
		if errors.Is(err, verbs.ErrNotSupported) {
			e.Skipf("the library has no query_gid_table: %v", err)
		}
		e.ok(err)
		slices.SortFunc(got, func(x, y verbs.GIDEntry) int { return (x.Port-y.Port)<<16 + x.Index - y.Index })
		if !slices.Equal(got, want) {
			e.Errorf("%+v, but one by one %+v", got, want)
		}
	}
	tooLittleRoom(e)
}

func tooLittleRoom(e *env) {
	ctx := e.open()
	_, err := ctx.QueryGIDTable(len(e.allGIDs(ctx)) - 1)
	if errors.Is(err, verbs.ErrNotSupported) {
		e.Skipf("the library has no query_gid_table: %v", err)
	}
	e.refused("query_gid_table without room for all", err, syscall.EINVAL)
}

// defaultPKey is the P_Key of full members of the default partition, the only one on Ethernet.
const defaultPKey = 0xffff

func partitionKeys(e *env) {
	ctx := e.open()
	port := e.port(ctx)
	first, err := ctx.QueryPKey(e.target.Port, 0)
	e.ok(err)
	if first == 0 || port.LinkLayer == verbs.LinkEthernet && first != defaultPKey {
		e.Errorf("P_Key %#x at index 0", first)
	}
	outsidePKeyTable(e)
}

func outsidePKeyTable(e *env) {
	ctx := e.open()
	for _, i := range []int{-1, e.port(ctx).PKeyTblLen} {
		if pkey, err := ctx.QueryPKey(e.target.Port, i); err == nil {
			e.Errorf("P_Key %#x at index %d of %d", pkey, i, e.port(ctx).PKeyTblLen)
		}
	}
	_, err := ctx.QueryPKey(e.device(ctx).PhysPortCount+1, 0)
	e.refused("query_pkey of a port that is not there", err, syscall.ENOENT, syscall.EINVAL)
}

func partitionKeyIndex(e *env) {
	ctx := e.open()
	pkey, err := ctx.QueryPKey(e.target.Port, 0)
	e.ok(err)
	if i, err := ctx.PKeyIndex(e.target.Port, pkey); err != nil || i != 0 {
		e.Errorf("P_Key %#x: index %d, %v", pkey, i, err)
	}
	if i, err := ctx.PKeyIndex(e.target.Port, 0x1234); err == nil {
		e.Errorf("P_Key 0x1234, which is not in the table, is at index %d", i)
	}
}
