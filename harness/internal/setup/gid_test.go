package setup

import (
	"errors"
	"net/netip"
	"strings"
	"syscall"
	"testing"

	"github.com/ibperf/ibperf/harness/internal/halt"
	"github.com/ibperf/ibperf/harness/internal/testcase"
	"github.com/ibperf/ibperf/oob"
	"github.com/ibperf/ibperf/option"
	"github.com/ibperf/ibperf/verbs"
	_ "github.com/ibperf/ibperf/verbs/shm"
)

// ported is a device with another port than its own.
type ported struct {
	verbs.Context
	port verbs.PortAttr
	gids map[int]verbs.GIDEntry
	none syscall.Errno // of other entries; 0: ENODATA
}

func (p ported) QueryPort(int) (verbs.PortAttr, error) { return p.port, nil }

func (p ported) QueryGID(port, index int) (verbs.GIDEntry, error) {
	e, ok := p.gids[index]
	switch {
	case !ok && p.none != 0:
		return e, p.none
	case !ok:
		return e, syscall.ENODATA
	}
	return e, nil
}

func entry(t *testing.T, index int, gid string, kind verbs.GIDType) verbs.GIDEntry {
	t.Helper()
	g, err := verbs.ParseGID(gid)
	if err != nil {
		t.Fatal(err)
	}
	return verbs.GIDEntry{GID: g, Index: index, Port: 1, Type: kind}
}

// ethernet returns a RoCE port with a large table, and InfiniBand's one without
// need of GIDs.
func ethernet(t *testing.T) ported {
	p := ported{port: verbs.PortAttr{LinkLayer: verbs.LinkEthernet, GIDTableLen: 1024}, gids: map[int]verbs.GIDEntry{}}
	for i, gid := range map[int]string{0: "fe80::1", 2: "fe80::1", 4: "10.0.0.1", 6: "10.0.1.1", 300: "10.0.2.1"} {
		kind := verbs.GIDTypeRoCEv2
		if i == 0 {
			kind = verbs.GIDTypeRoCEv1
		}
		if strings.Contains(gid, ".") {
			gid = "::ffff:" + gid
		}
		p.gids[i] = entry(t, i, gid, kind)
	}
	return p
}

func infiniband(t *testing.T) ported {
	return ported{
		port: verbs.PortAttr{LinkLayer: verbs.LinkInfiniBand, GIDTableLen: 8, LID: 7, ActiveMTU: verbs.MTU4096},
		gids: map[int]verbs.GIDEntry{0: entry(t, 0, "fe80::2", verbs.GIDTypeIB), 1: entry(t, 1, "fe80::3", verbs.GIDTypeIB)},
	}
}

// efa returns EFA's port: of no link layer, without a LID, with one GID.
func efa(t *testing.T) ported {
	return ported{
		port: verbs.PortAttr{GIDTableLen: 1, ActiveMTU: verbs.MTU4096},
		gids: map[int]verbs.GIDEntry{0: entry(t, 0, "fe80::4", verbs.GIDTypeIB)},
	}
}

// side returns a rig that has got as far as its offer.
func side(p ported, index int, peer string) (*Resources, error) {
	r := &Resources{Set: &testcase.Set{}, cfg: &Config{Context: p, Port: 1, GIDIndex: index}, Port: p.port}
	if peer != "" {
		r.cfg.PeerIP = netip.MustParseAddr(peer)
	}
	var err error
	if r.gids, err = findGIDs(p, 1, index, p.port); err != nil {
		return r, err
	}
	r.offer, err = r.newOffer()
	return r, err
}

func TestBothSidesAgreeOnGIDs(t *testing.T) {
	v1only, v2only := ethernet(t), ethernet(t)
	v1only.gids = map[int]verbs.GIDEntry{0: v1only.gids[0]}
	delete(v2only.gids, 0)
	ib, grh := infiniband(t), infiniband(t)
	grh.port.GRHRequired = true
	for _, c := range []struct {
		name          string
		a, b          ported
		xa, xb        int    // -x
		peerOfA       string // b's address, as a sees it
		peerOfB       string
		wantA, wantB  int
		refused       string // by both, with this
		refusedByAlso string
	}{
		{"the best", ethernet(t), ethernet(t), -1, -1, "", "", 4, 4, "", ""},
		{"each its own address", ethernet(t), ethernet(t), -1, -1, "10.0.0.1", "10.0.1.1", 6, 4, "", ""},
		{"by link-local IPv6", ethernet(t), ethernet(t), -1, -1, "fe80::9%eth0", "fe80::8", 2, 2, "", ""},
		{"as the pinned side", ethernet(t), ethernet(t), -1, 0, "", "", 0, 0, "", ""},
		{"both pinned", ethernet(t), ethernet(t), 4, 6, "", "", 4, 6, "", ""},
		{"what a lesser port has", ethernet(t), v1only, -1, -1, "10.0.0.1", "10.0.1.1", 0, 0, "", ""},
		{"by LID", ib, ib, -1, -1, "", "", -1, -1, "", ""},
		{"of a port without a LID", efa(t), efa(t), -1, -1, "10.0.0.1", "10.0.1.1", 0, 0, "", ""},
		{"by LID and GID where one side needs it", ib, grh, -1, -1, "", "", 0, 0, "", ""},
		{"by LID and GID where one side names it", ib, ib, 1, -1, "", "", 1, 0, "", ""},
		{"v1 against v2", v1only, v2only, -1, -1, "", "", 0, 0, "RoCE v1 IPv6 link-local only", "-x"},
		{"pinned apart", ethernet(t), ethernet(t), 2, 4, "", "", 0, 0, "RoCE v2 IPv4 only", "-x"},
		{"two links", ethernet(t), ib, -1, -1, "", "", 0, 0, "InfiniBand", "Ethernet"},
	} {
		a, err1 := side(c.a, c.xa, c.peerOfA)
		b, err2 := side(c.b, c.xb, c.peerOfB)
		if err := errors.Join(err1, err2); err != nil {
			t.Fatalf("%s: %v", c.name, err)
		}
		gotA, errA := agreeGID(a.offer, b.offer, a.gids)
		gotB, errB := agreeGID(b.offer, a.offer, b.gids)
		for _, err := range []error{errA, errB} {
			if (err != nil) != (c.refused != "") || err != nil && (!strings.Contains(err.Error(), c.refused) || !strings.Contains(err.Error(), c.refusedByAlso)) {
				t.Errorf("%s: %v", c.name, err)
			}
		}
		if c.refused == "" && (gotA.Index != c.wantA || gotB.Index != c.wantB) {
			t.Errorf("%s: indexes %d and %d, want %d and %d", c.name, gotA.Index, gotB.Index, c.wantA, c.wantB)
		}
	}
}

func TestMissingGIDsAreRefused(t *testing.T) {
	bare := ethernet(t)
	bare.gids = nil
	unreadable := bare
	unreadable.none = syscall.EIO
	for _, c := range []struct {
		p     ported
		index int
		want  string
	}{
		{ethernet(t), 1, "GID index 1 of port 1 is empty; entries that are set: 0 (fe80"},
		{infiniband(t), 8, "GID index 8: the table of port 1 ends at 7"},
		{ethernet(t), 300, "ends at 255"},
		{bare, -1, "port 1 has no GID"},
		{bare, 3, "entries that are set: none"},
		{unreadable, -1, "input/output error"},
		{unreadable, 3, "input/output error"},
	} {
		if _, err := side(c.p, c.index, ""); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("index %d: %v, want %q", c.index, err, c.want)
		}
	}
}

// alike is a peer that makes the same offer.
type alike struct{ oob.Peer }

func (alike) Offer(mine oob.Offer) (oob.Offer, error) { return mine, nil }

// The smaller MTU counts, and a LID takes the place of the GID on InfiniBand.
func TestEndpointsOfInfiniBand(t *testing.T) {
	p := option.Defaults(option.Test{Op: option.OpWrite, Kind: option.KindLatency})
	p.MTU = 2048
	p = p.Resolve()
	c := openDevice(t)
	r, err := New(&Config{Context: ported{Context: c, port: infiniband(t).port, gids: infiniband(t).gids}, Port: 1, GIDIndex: -1, Order: func(int) []int { return []int{0, 1} }}, testcase.NewSet(p), halt.New(), alike{})
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	if r.GID, err = agreeGID(r.offer, r.offer, r.gids); err != nil {
		t.Fatal(err)
	}
	mine, err := r.endpoints()
	if err != nil {
		t.Fatal(err)
	}
	if e := mine[0]; e.GID != (verbs.GID{}) || e.LID != 7 || e.MTU != verbs.MTU2048 || r.GID.Index != -1 {
		t.Errorf("endpoint %+v, GID index %d", e, r.GID.Index)
	}
}

// With --ipv6 only GIDs of IPv6 addresses are used, if the port has any.
func TestGIDsOfIPv6ComeFirst(t *testing.T) {
	all := []verbs.GIDEntry{entry(t, 0, "::ffff:10.0.0.1", verbs.GIDTypeRoCEv2), entry(t, 1, "2001:db8::1", verbs.GIDTypeRoCEv2)}
	if got := preferIPv6(all); len(got) != 1 || got[0].Index != 1 {
		t.Errorf("of %v: %v", all, got)
	}
	if got := preferIPv6(all[:1]); len(got) != 1 || got[0].Index != 0 {
		t.Errorf("of %v: %v", all[:1], got)
	}
}
