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

// recorder is a QP that records the arguments of Modify, and fails at a step.
type recorder struct {
	QP
	kind   QPType // 0: RC
	moves  []modify
	failAt QPState
}

func (r *recorder) Modify(a *QPAttr, m QPAttrMask) error {
	from := QPReset
	if n := len(r.moves); n > 0 {
		from = r.moves[n-1].attr.State
	}
	kind := r.kind
	if kind == 0 {
		kind = QPTypeRC
	}
	if why := CheckModify(kind, from, a.State, m); why != "" || a.State == r.failAt {
		return &OpError{Verb: "modify_qp", Errno: syscall.EINVAL, Detail: why}
	}
	r.moves = append(r.moves, modify{*a, m})
	return nil
}

func TestConnect(t *testing.T) {
	byLID := Endpoint{QPNum: 9, LID: 77, MTU: MTU256}
	for name, c := range map[string]struct {
		path       Path
		mine, peer Endpoint
		want       []QPAttr
	}{
		"by default": {
			Path{Port: 1}, endA, endB,
			[]QPAttr{
				{State: QPInit, PortNum: 1, AccessFlags: AccessRemoteWrite},
				{
					State: QPRTR, PathMTU: MTU1024, DestQPNum: 18, RQPSN: 5, MaxDestRdAtomic: 4, MinRNRTimer: 1,
					AH: AHAttr{PortNum: 1, IsGlobal: true, GRH: GlobalRoute{DGID: gidB, HopLimit: 255}},
				},
				{State: QPRTS, SQPSN: 0xabcdef, Timeout: 14, RetryCnt: 7, RNRRetry: 7, MaxRdAtomic: 4},
			},
		},
		"all attributes": {
			Path{
				Port: 2, GIDIndex: 3, TrafficClass: 0x60, SL: 15, FlowLabel: 0xfffff, HopLimit: 1, PKeyIndex: 127,
				Retries: &Retries{Timeout: 31, RetryCnt: 1, RNRRetry: 2, MinRNRTimer: 30},
			}, endA, endB,
			[]QPAttr{
				{State: QPInit, PortNum: 2, PKeyIndex: 127, AccessFlags: AccessRemoteWrite},
				{
					State: QPRTR, PathMTU: MTU1024, DestQPNum: 18, RQPSN: 5, MaxDestRdAtomic: 4, MinRNRTimer: 30,
					AH: AHAttr{
						PortNum: 2, SL: 15, IsGlobal: true,
						GRH: GlobalRoute{DGID: gidB, FlowLabel: 0xfffff, SGIDIndex: 3, HopLimit: 1, TrafficClass: 0x60},
					},
				},
				{State: QPRTS, SQPSN: 0xabcdef, Timeout: 31, RetryCnt: 1, RNRRetry: 2, MaxRdAtomic: 4},
			},
		},
		"by LID, without a GRH": {
			Path{Port: 2, SL: 3, Retries: &Retries{}}, byLID, byLID,
			[]QPAttr{
				{State: QPInit, PortNum: 2, AccessFlags: AccessRemoteWrite},
				{State: QPRTR, PathMTU: MTU256, DestQPNum: 9, AH: AHAttr{DLID: 77, SL: 3, PortNum: 2}},
				{State: QPRTS},
			},
		},
	} {
		var r recorder
		if err := Connect(&r, c.path, AccessRemoteWrite, c.mine, c.peer); err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if len(r.moves) != len(c.want) {
			t.Fatalf("%s: %d moves", name, len(r.moves))
		}
		for i, w := range c.want {
			if r.moves[i].attr != w {
				t.Errorf("%s, move %d: %+v\nwant %+v", name, i, r.moves[i].attr, w)
			}
		}
	}
}

func TestConnectFails(t *testing.T) {
	for _, at := range []QPState{QPInit, QPRTR, QPRTS} {
		r := recorder{failAt: at}
		if err := Connect(&r, Path{Port: 1}, 0, endA, endB); !errors.Is(err, syscall.EINVAL) || len(r.moves) != int(at)-1 {
			t.Errorf("%s: %v after %d moves", at, err, len(r.moves))
		}
	}
	for _, bad := range []Path{
		{}, {Port: 256}, {Port: -1}, {Port: 1, GIDIndex: -1}, {Port: 1, GIDIndex: 256}, {Port: 1, SL: 16},
		{Port: 1, FlowLabel: 1 << 20},
		{Port: 1, Retries: &Retries{Timeout: 32}}, {Port: 1, Retries: &Retries{RetryCnt: 8}},
		{Port: 1, Retries: &Retries{RNRRetry: 8}}, {Port: 1, Retries: &Retries{MinRNRTimer: 32}},
	} {
		var r recorder
		if err := Connect(&r, bad, 0, endA, endB); err == nil || len(r.moves) != 0 {
			t.Errorf("%+v: %v after %d moves", bad, err, len(r.moves))
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

func TestActivate(t *testing.T) {
	want := []QPAttr{{State: QPInit, PortNum: 2, PKeyIndex: 5, QKey: 0x1234}, {State: QPRTR}, {State: QPRTS, SQPSN: 7}}
	for _, kind := range []QPType{QPTypeUD, QPTypeSRD} {
		r := recorder{kind: kind}
		if err := Activate(&r, Path{Port: 2, PKeyIndex: 5}, 0x1234, 7); err != nil || len(r.moves) != len(want) {
			t.Fatal(kind, err, len(r.moves))
		}
		for i, w := range want {
			if r.moves[i].attr != w {
				t.Errorf("%s, move %d: %+v\nwant %+v", kind, i, r.moves[i].attr, w)
			}
		}
		for _, at := range []QPState{QPInit, QPRTR, QPRTS} {
			if err := Activate(&recorder{kind: kind, failAt: at}, Path{Port: 1}, 0, 0); !errors.Is(err, syscall.EINVAL) {
				t.Errorf("%s, refused at %s: %v", kind, at, err)
			}
		}
	}
	if Activate(&recorder{kind: QPTypeUD}, Path{}, 0, 0) == nil || Activate(&recorder{kind: QPTypeUD}, Path{Port: 1}, 0, 1<<24) == nil {
		t.Error("port 0, or a PSN of 25 bits: accepted")
	}
}

// rdmaCM is a connection with given attributes.
type rdmaCM struct{ CMConn }

func (rdmaCM) QPAttr(QPState) (QPAttr, QPAttrMask, error) {
	return QPAttr{PathMTU: MTU2048, Timeout: 19, RetryCnt: 3, AH: AHAttr{SL: 5}}, MaskState, nil
}

// anyMove is a recorder that accepts each mask.
type anyMove struct{ recorder }

func (r *anyMove) Modify(a *QPAttr, m QPAttrMask) error {
	r.moves = append(r.moves, modify{*a, m})
	return nil
}

func TestConnectCM(t *testing.T) {
	mine := Retries{Timeout: 20, RetryCnt: 1, RNRRetry: 2, MinRNRTimer: 3}
	for _, c := range []struct {
		retries *Retries
		want    Retries
	}{{nil, Retries{Timeout: 19, RetryCnt: 7, RNRRetry: 7, MinRNRTimer: 1}}, {&mine, mine}} {
		var r anyMove
		if err := ConnectCM(&r, rdmaCM{}, AccessRemoteRead, 4, MTU1024, c.retries); err != nil || len(r.moves) != 3 {
			t.Fatal(err, len(r.moves))
		}
		for _, m := range r.moves {
			a := m.attr
			got := Retries{Timeout: a.Timeout, RetryCnt: a.RetryCnt, RNRRetry: a.RNRRetry, MinRNRTimer: a.MinRNRTimer}
			if got != c.want || a.PathMTU != MTU1024 || a.AH.SL != 5 || a.MaxRdAtomic != 4 || a.AccessFlags != AccessRemoteRead {
				t.Errorf("%+v: %+v", c.retries, a)
			}
		}
	}
	if err := ConnectCM(&anyMove{}, rdmaCM{}, 0, 1, MTU256, &Retries{RetryCnt: 8}); err == nil {
		t.Error("retry_cnt 8: accepted")
	}
}

// FuzzEndpoint: an endpoint that passes Check connects with attributes in range.
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
