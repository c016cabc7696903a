package verbs

import "testing"

func TestBestGIDPrefersRoutable(t *testing.T) {
	entry := func(i int, gid string, kind GIDType) GIDEntry {
		g, err := ParseGID(gid)
		if err != nil {
			t.Fatal(err)
		}
		return GIDEntry{GID: g, Index: i, Type: kind}
	}
	table := []GIDEntry{
		{Index: 0, Type: GIDTypeRoCEv2}, // not set
		entry(1, "fe80::1", GIDTypeRoCEv1), entry(2, "fe80::1", GIDTypeRoCEv2), entry(3, "2001:db8::1", GIDTypeRoCEv2),
		entry(4, "::ffff:10.0.0.1", GIDTypeRoCEv1), entry(5, "::ffff:10.0.0.1", GIDTypeRoCEv2),
	}
	for n, want := range []int{-1, -1, 1, 2, 3, 3, 5} {
		got, ok := BestGID(table[:n])
		if ok != (want >= 0) || ok && got.Index != want {
			t.Errorf("of %d entries %d is chosen (%v), want %d", n, got.Index, ok, want)
		}
	}
}
