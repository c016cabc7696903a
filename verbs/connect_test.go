package verbs

import (
	"encoding/json"
	"errors"
	"strings"
	"syscall"
	"testing"
)

var (
	gidA = GID{0: 0xfe, 1: 0x80, 15: 1}
	gidB = GID{0: 0xfe, 1: 0x80, 15: 2}
	endA = Endpoint{QPNum: 17, PSN: 0xabcdef, GID: gidA, MTU: MTU4096, RdAtomic: 16}
	endB = Endpoint{QPNum: 18, PSN: 5, GID: gidB, MTU: MTU1024, RdAtomic: 4}
)

func TestEndpointCheck(t *testing.T) {
	for name, spoil := range map[string]func(e *Endpoint){
		"qp_num 0":          func(e *Endpoint) { e.QPNum = 0 },
		"qp_num of 25 bits": func(e *Endpoint) { e.QPNum = 1 << 24 },
		"psn of 25 bits":    func(e *Endpoint) { e.PSN = 1 << 24 },
		"mtu 0":             func(e *Endpoint) { e.MTU = 0 },
		"mtu 6":             func(e *Endpoint) { e.MTU = 6 },
		"no address":        func(e *Endpoint) { e.GID = GID{} },
		"multicast":         func(e *Endpoint) { e.GID[0] = 0xff },
	} {
		e := endA
		spoil(&e)
		if err := e.Check(); err == nil {
			t.Errorf("%s: accepted", name)
		}
		for side, err := range map[string]error{
			"local":  Connect(&recorder{}, Path{Port: 1}, 0, e, endB),
			"remote": Connect(&recorder{}, Path{Port: 1}, 0, endB, e),
		} {
			if err == nil || !strings.HasPrefix(err.Error(), side) {
				t.Errorf("%s: Connect says %v", name, err)
			}
		}
	}
	for _, e := range []Endpoint{endA, {QPNum: 1<<24 - 1, PSN: 1<<24 - 1, LID: 7, MTU: MTU256}} {
		if err := e.Check(); err != nil {
			t.Errorf("%+v: %v", e, err)
		}
	}
}

// recorder is a QP that keeps what Modify was called with, and fails at a step.
type recorder struct {
	QP
	moves  []modify
	failAt QPState
}

func (r *recorder) Modify(a *QPAttr, m QPAttrMask) error {
	from := QPReset
	if n := len(r.moves); n > 0 {
		from = r.moves[n-1].attr.State
	}
	if why := CheckModify(QPTypeRC, from, a.State, m); why != "" || a.State == r.failAt {
		return &OpError{Verb: "modify_qp", Errno: syscall.EINVAL, Detail: why}
	}
	r.moves = append(r.moves, modify{*a, m})
	return nil
}

func TestConnect(t *testing.T) {
	var r recorder
	if err := Connect(&r, Path{1, 3, 0x60}, AccessRemoteWrite, endA, endB); err != nil {
		t.Fatal(err)
	}
	want := []QPAttr{
		{State: QPInit, PortNum: 1, AccessFlags: AccessRemoteWrite},
		{
			State: QPRTR, PathMTU: MTU1024, DestQPNum: 18, RQPSN: 5, MaxDestRdAtomic: 4, MinRNRTimer: ConnectMinRNRTimer,
			AH: AHAttr{PortNum: 1, IsGlobal: true, GRH: GlobalRoute{DGID: gidB, SGIDIndex: 3, HopLimit: 255, TrafficClass: 0x60}},
		},
		{State: QPRTS, SQPSN: 0xabcdef, Timeout: 14, RetryCnt: 7, RNRRetry: 7, MaxRdAtomic: 4},
	}
	if len(r.moves) != len(want) {
		t.Fatalf("%d moves", len(r.moves))
	}
	for i, w := range want {
		if r.moves[i].attr != w {
			t.Errorf("move %d: %+v\nwant %+v", i, r.moves[i].attr, w)
		}
	}
	// By LID alone, there is no GRH.
	r = recorder{}
	byLID := Endpoint{QPNum: 9, LID: 77, MTU: MTU256}
	if err := Connect(&r, Path{Port: 2}, 0, byLID, byLID); err != nil {
		t.Fatal(err)
	}
	if ah := r.moves[1].attr.AH; ah != (AHAttr{DLID: 77, PortNum: 2}) {
		t.Errorf("address vector %+v", ah)
	}
}

func TestConnectFails(t *testing.T) {
	for _, at := range []QPState{QPInit, QPRTR, QPRTS} {
		r := recorder{failAt: at}
		if err := Connect(&r, Path{Port: 1}, 0, endA, endB); !errors.Is(err, syscall.EINVAL) || len(r.moves) != int(at)-1 {
			t.Errorf("%s: %v after %d moves", at, err, len(r.moves))
		}
	}
	for _, bad := range [][2]int{{0, 0}, {256, 0}, {-1, 0}, {1, -1}, {1, 256}} {
		if err := Connect(&recorder{}, Path{Port: bad[0], GIDIndex: bad[1]}, 0, endA, endB); err == nil {
			t.Errorf("port %d, GID index %d: accepted", bad[0], bad[1])
		}
	}
}

func TestEndpointJSON(t *testing.T) {
	b, err := json.Marshal(endA)
	if err != nil {
		t.Fatal(err)
	}
	want := `{"qp_num":17,"psn":11259375,"gid":"fe80:0000:0000:0000:0000:0000:0000:0001","lid":0,"mtu":5,"rd_atomic":16}`
	if string(b) != want {
		t.Errorf("JSON %s\nwant %s", b, want)
	}
	var e Endpoint
	if err := json.Unmarshal(b, &e); err != nil || e != endA {
		t.Errorf("%+v, %v", e, err)
	}
	for _, bad := range []string{`{"gid":"fe80::1%eth0"}`, `{"gid":"nonsense"}`, `{"gid":""}`, `{"gid":7}`, `{"qp_num":-1}`, `{"lid":65536}`, `{"rd_atomic":256}`} {
		if err := json.Unmarshal([]byte(bad), &e); err == nil {
			t.Errorf("%s: accepted", bad)
		}
	}
}

// FuzzEndpoint: whatever a peer sends, what passes Check connects with sound attributes.
func FuzzEndpoint(f *testing.F) {
	good, _ := json.Marshal(endA)
	for _, s := range []string{string(good), `{}`, `{"mtu":4294967295}`, `{"gid":"::ffff:1.2.3.4","qp_num":1,"mtu":1}`, `[]`, `{"gid":"ff02::1"}`} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		var e Endpoint
		if json.Unmarshal(b, &e) != nil || e.Check() != nil {
			return
		}
		var r recorder
		if err := Connect(&r, Path{Port: 1}, 0, endB, e); err != nil {
			t.Fatal(err)
		}
		a := r.moves[1].attr
		if a.PathMTU.Bytes() == 0 || a.DestQPNum > maxQPNum || a.RQPSN > maxPSN || a.MaxDestRdAtomic > endB.RdAtomic {
			t.Errorf("%s becomes %+v", b, a)
		}
		text, err := json.Marshal(e)
		if err != nil {
			t.Fatal(err)
		}
		var again Endpoint
		if err := json.Unmarshal(text, &again); err != nil || again != e {
			t.Errorf("%s comes back as %+v, %v", text, again, err)
		}
	})
}
