package verbs

import (
	"maps"
	"net/netip"
	"slices"
	"testing"
)

func gidEntry(t *testing.T, i int, gid string, kind GIDType) GIDEntry {
	t.Helper()
	g, err := ParseGID(gid)
	if err != nil {
		t.Fatal(err)
	}
	return GIDEntry{GID: g, Index: i, Port: 1, Type: kind}
}

func TestBestGIDPrefersRoutable(t *testing.T) {
	table := []GIDEntry{
		{Index: 0, Type: GIDTypeRoCEv2}, // not set
		gidEntry(t, 1, "fe80::1", GIDTypeRoCEv1), gidEntry(t, 2, "fe80::1", GIDTypeRoCEv2), gidEntry(t, 3, "2001:db8::1", GIDTypeRoCEv2),
		gidEntry(t, 4, "::ffff:10.0.0.1", GIDTypeRoCEv1), gidEntry(t, 5, "::ffff:10.0.0.1", GIDTypeRoCEv2),
	}
	for n, want := range []int{-1, -1, 1, 2, 3, 3, 5} {
		got, ok := BestGID(table[:n], 1)
		if ok != (want >= 0) || ok && got.Index != want {
			t.Errorf("of %d entries %d is chosen (%v), want %d", n, got.Index, ok, want)
		}
	}
}

// TestBestGIDIsOfThePort: a device's table holds the entries of all its ports.
func TestBestGIDIsOfThePort(t *testing.T) {
	other := gidEntry(t, 0, "::ffff:10.0.0.1", GIDTypeRoCEv2)
	other.Port = 2
	table := []GIDEntry{other, gidEntry(t, 3, "fe80::1", GIDTypeRoCEv1)}
	if got, ok := BestGID(table, 1); !ok || got != table[1] {
		t.Errorf("of port 1: %+v, %v", got, ok)
	}
	if got, ok := BestGID(table, 3); ok {
		t.Errorf("of port 3, which has none: %+v", got)
	}
}

// The classes of a port, by their names.
var classesByName = map[string]GIDClass{}

func classesNamed(names ...string) (list []GIDClass) {
	for _, n := range names {
		list = append(list, classesByName[n])
	}
	return list
}

func init() {
	for _, kind := range []GIDType{GIDTypeRoCEv1, GIDTypeRoCEv2} {
		for _, c := range []GIDClass{{kind, false, false}, {kind, false, true}, {kind, true, false}, {kind, true, true}} {
			classesByName[c.String()] = c
		}
	}
}

func TestBestGIDClassIsTheSameOnBothSides(t *testing.T) {
	all := slices.Collect(maps.Keys(classesByName))
	six := []string{"RoCE v2 IPv6", "RoCE v2 IPv6 link-local", "RoCE v1 IPv6"}
	for _, c := range []struct {
		name, want string
		a, b       []string
		inUse      []string
	}{
		{"everything", "RoCE v2 IPv4", all, all, nil},
		{"in use by IPv6", "RoCE v2 IPv6", all, all, []string{"2001:db8::1", "2001:db8::2"}},
		{"in use by link-local IPv6", "RoCE v2 IPv6 link-local", all, all, []string{"fe80::1%eth0", "fe80::2"}},
		{"in use by IPv4", "RoCE v2 IPv4", all, all, []string{"10.0.0.1", "::ffff:10.0.0.2"}},
		{"in use by IPv4, which the ports lack", "RoCE v2 IPv6", six, six, []string{"10.0.0.1"}},
		{"loopback says nothing", "RoCE v2 IPv4", all, all, []string{"::1"}},
		{"one side has no IPv4", "RoCE v2 IPv6", all, six, []string{"10.0.0.1"}},
		{"one side is pinned", "RoCE v1 IPv6", all, []string{"RoCE v1 IPv6"}, []string{"10.0.0.1"}},
		{"global before the family in use", "RoCE v2 IPv4", []string{"RoCE v2 IPv4", six[1]}, all, []string{"2001:db8::1"}},
		{"v2 before global", "RoCE v2 IPv6 link-local", []string{"RoCE v1 IPv4", six[1]}, all, nil},
		{"v1 against v2", "", []string{"RoCE v1 IPv4"}, []string{"RoCE v2 IPv4"}, nil},
		{"one side has none", "", nil, all, nil},
	} {
		var inUse []netip.Addr
		for _, a := range c.inUse {
			inUse = append(inUse, netip.MustParseAddr(a))
		}
		a, b := classesNamed(c.a...), classesNamed(c.b...)
		here, ok := BestGIDClass(a, b, inUse...)
		slices.Reverse(inUse)
		there, also := BestGIDClass(b, a, inUse...)
		if here != there || ok != also || ok != (c.want != "") || ok && here.String() != c.want {
			t.Errorf("%s: %s (%v) here, %s (%v) there, want %s", c.name, here, ok, there, also, c.want)
		}
	}
}

func TestFirstGID(t *testing.T) {
	table := []GIDEntry{
		{Index: 0, Type: GIDTypeRoCEv2}, // not set
		gidEntry(t, 1, "2001:db8::1", GIDTypeRoCEv2), gidEntry(t, 3, "2001:db8::3", GIDTypeRoCEv2),
		gidEntry(t, 5, "::ffff:10.0.0.5", GIDTypeRoCEv2), gidEntry(t, 6, "::ffff:10.0.0.6", GIDTypeRoCEv2),
	}
	six, four := classesByName["RoCE v2 IPv6"], classesByName["RoCE v2 IPv4"]
	for _, c := range []struct {
		class   GIDClass
		address string
		want    int
	}{
		{six, "", 1}, {six, "2001:db8::3", 3}, {six, "10.0.0.6", 1}, {four, "10.0.0.6", 6}, {four, "::ffff:10.0.0.6", 6}, {four, "10.0.0.7", 5},
		{classesByName["RoCE v1 IPv6"], "2001:db8::1", -1},
	} {
		var a netip.Addr
		if c.address != "" {
			a = netip.MustParseAddr(c.address)
		}
		got, ok := FirstGID(table, c.class, a)
		if ok != (c.want >= 0) || ok && got.Index != c.want {
			t.Errorf("%s for %s: %d (%v), want %d", c.class, c.address, got.Index, ok, c.want)
		}
	}
	if got := GIDClasses(table); !slices.Equal(got, []GIDClass{six, four}) {
		t.Errorf("classes %v", got)
	}
	// GIDs of InfiniBand have no address family: all are of one class.
	ib := []GIDEntry{gidEntry(t, 0, "fe80::1", GIDTypeIB), gidEntry(t, 1, "fec0::1", GIDTypeIB)}
	if got := GIDClasses(ib); !slices.Equal(got, []GIDClass{{Type: GIDTypeIB}}) {
		t.Errorf("classes of InfiniBand %v", got)
	}
}
