//go:build linux && cgo

package ibv

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"syscall"
	"testing"

	"github.com/ibperf/ibperf/verbs"
)

// Values of STUB_EFA for a device with and without RDMA: its device_caps, and 1.
const (
	efaWithRDMA    = "STUB_EFA=10"
	efaWithoutRDMA = "STUB_EFA=1"
)

// TestSRD runs the tests of SRD on stubs of EFA and of others.
func TestSRD(t *testing.T) {
	t.Parallel()
	for name, forced := range callModes {
		t.Run(name, func(t *testing.T) { runOnStub(t, "^TestSRDTransfers$", efaWithRDMA, "IBPERF_CGO="+forced) })
	}
	runOnStub(t, "^TestSRDWithoutRDMA$", efaWithoutRDMA)
	runOnStub(t, "^TestSRDIsEFAs$")
	runOnStub(t, "^TestSRDOrder$", efaWithRDMA, promisesBlocks)
}

// promisesBlocks makes the stub promise the order of blocks.
const promisesBlocks = "STUB_ORDER=2"

// TestCapsOfEFA: ib_caps asks SRD QPs, as the device has no RC QPs.
func TestCapsOfEFA(t *testing.T) {
	t.Parallel()
	withoutDevice(t)
	program := filepath.Join(t.TempDir(), "ib_caps")
	if out, err := exec.Command("go", "build", "-o", program, "../../cmd/ib_caps").CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	cmd := stubCommand(t, "", promisesBlocks, efaWithRDMA)
	cmd.Path, cmd.Args = program, []string{program, "-d", stub}
	out, err := cmd.CombinedOutput()
	for _, op := range []string{"SEND", "RDMA_WRITE", "RDMA_READ"} {
		if !regexp.MustCompile(`SRD +` + op + ` +aligned 128-byte blocks`).Match(out) {
			t.Errorf("no promise of %s: %v\n%s", op, err, out)
		}
	}
	if !strings.Contains(string(out), "no RC: programs run on it with -c SRD") {
		t.Errorf("nothing says how to run on the device: %v\n%s", err, out)
	}
}

// srd holds two SRD QPs of one device.
type srd struct {
	*testing.T
	cq  verbs.CQ
	qps [2]verbs.QP
	ah  verbs.AH
	mem *verbs.Buffer
	mr  verbs.MR
	req *requests
}

const srdKey = 0x11111111

func newSRD(t *testing.T) *srd {
	t.Helper()
	if os.Getenv("STUB_EFA") == "" {
		t.Skip("run by TestSRD, with STUB_EFA")
	}
	ctx := openLoopback(t)
	pd := made(ctx.AllocPD())(t)
	s := &srd{T: t, req: outsideHeap(t)}
	s.cq = made(ctx.CreateCQ(2*depth, nil, 0))(t)
	for i := range s.qps {
		s.qps[i] = made(pd.CreateQP(srdInit(s.cq)))(t)
		if err := verbs.Activate(s.qps[i], verbs.Path{Port: 1}, srdKey, 0); err != nil {
			t.Fatal(err)
		}
	}
	gid := made(ctx.QueryGID(1, 0))(t)
	s.ah = made(pd.CreateAH(&verbs.AHAttr{IsGlobal: true, PortNum: 1, GRH: verbs.GlobalRoute{DGID: gid.GID}}))(t)
	s.mem = made(verbs.NewBuffer(4096))(t)
	rights := verbs.AccessLocalWrite
	if os.Getenv("STUB_EFA") != strings.TrimPrefix(efaWithoutRDMA, "STUB_EFA=") {
		rights |= verbs.AccessRemoteWrite | verbs.AccessRemoteRead
	}
	s.mr = made(pd.RegMR(s.mem.Bytes(), rights))(t)
	t.Cleanup(func() {
		if err := errors.Join(s.qps[0].Close(), s.qps[1].Close(), s.ah.Close(), s.mr.Close(), s.cq.Close(), pd.Close(), s.mem.Close()); err != nil {
			t.Error(err)
		}
	})
	return s
}

func srdInit(cq verbs.CQ) *verbs.QPInitAttr {
	return &verbs.QPInitAttr{
		Type: verbs.QPTypeSRD, SendCQ: cq, RecvCQ: cq,
		Cap: verbs.QPCap{MaxSendWR: depth, MaxRecvWR: depth, MaxSendSGE: 1, MaxRecvSGE: 1, MaxInlineData: 32},
	}
}

// post posts a request of 8 bytes at offset 0 to the second QP, with remote offset 512.
func (s *srd) post(op verbs.Opcode, flags verbs.SendFlags, qkey uint32) error {
	s.req.sge[0] = verbs.SGE{Addr: s.mr.Addr(), Length: 8, LKey: s.mr.LKey()}
	wr := &s.req.send[0]
	*wr = verbs.SendWR{WRID: 7, Opcode: op, SGList: &s.req.sge[0], NumSGE: 1, SendFlags: flags, Imm: [4]byte{9, 8, 7, 6}}
	wr.SetSRD(s.ah, s.qps[1].QPNum(), qkey, s.mr.Addr()+512, s.mr.RKey())
	_, err := s.qps[0].PostSend(wr)
	return err
}

// completions returns the queued completions by wr_id.
func (s *srd) completions() map[uint64]verbs.WC {
	s.Helper()
	n, err := s.cq.Poll(s.req.wc)
	if err != nil {
		s.Fatal(err)
	}
	all := map[uint64]verbs.WC{}
	for _, wc := range s.req.wc[:n] {
		all[wc.WRID] = wc
	}
	return all
}

// TestSRDTransfers: SEND, WRITE and READ reach the QP and the memory that the request names.
func TestSRDTransfers(t *testing.T) {
	s := newSRD(t)
	mem := s.mem.Bytes()
	copy(mem, "a server")
	if err := s.post(verbs.OpRDMAWrite, verbs.SendSignaled, srdKey); err != nil {
		t.Fatal(err)
	}
	if got := s.completions()[7]; got.Status != verbs.WCSuccess || string(mem[512:520]) != "a server" {
		t.Errorf("WRITE: %+v, memory holds %q", got, mem[512:520])
	}
	copy(mem[512:], "returned")
	if err := s.post(verbs.OpRDMARead, verbs.SendSignaled, srdKey); err != nil {
		t.Fatal(err)
	}
	if got := s.completions()[7]; got.Status != verbs.WCSuccess || string(mem[:8]) != "returned" {
		t.Errorf("READ: %+v, memory holds %q", got, mem[:8])
	}
	s.req.sge[1] = verbs.SGE{Addr: s.mr.Addr() + 1024, Length: 64, LKey: s.mr.LKey()}
	s.req.recv[0] = verbs.RecvWR{WRID: 8, SGList: &s.req.sge[1], NumSGE: 1}
	if _, err := s.qps[1].PostRecv(&s.req.recv[0]); err != nil {
		t.Fatal(err)
	}
	if err := s.post(verbs.OpSendWithImm, verbs.SendSignaled|verbs.SendInline, srdKey); err != nil {
		t.Fatal(err)
	}
	got := s.completions()
	if got[7].Status != verbs.WCSuccess || got[8].ByteLen != 8 || got[8].Imm != [4]byte{9, 8, 7, 6} || string(mem[1024:1032]) != "returned" {
		t.Errorf("SEND: %+v, memory holds %q", got, mem[1024:1032])
	}
	if err := s.post(verbs.OpSend, 0, srdKey); !errors.Is(err, syscall.EINVAL) {
		t.Errorf("a request without a completion: %v", err)
	}
	if err := s.post(verbs.OpAtomicFetchAndAdd, verbs.SendSignaled, srdKey); !errors.Is(err, verbs.ErrNotSupported) {
		t.Errorf("an atomic operation: %v", err)
	}
	if err := s.post(verbs.OpSend, verbs.SendSignaled, srdKey+1); err != nil {
		t.Fatal(err)
	}
	if got := s.completions()[7]; got.Status != verbs.WCRetryExcErr {
		t.Errorf("SEND with another Q_Key: %+v", got)
	}
}

// TestSRDWithoutRDMA: older devices have SEND alone.
func TestSRDWithoutRDMA(t *testing.T) {
	s := newSRD(t)
	for _, op := range []verbs.Opcode{verbs.OpRDMAWrite, verbs.OpRDMARead} {
		if err := s.post(op, verbs.SendSignaled, srdKey); !errors.Is(err, verbs.ErrNotSupported) {
			t.Errorf("%s: %v", op, err)
		}
	}
	if err := s.post(verbs.OpSend, verbs.SendSignaled, srdKey); err != nil {
		t.Error(err)
	}
	init := srdInit(s.cq)
	init.SendOps = verbs.SendOpSend | verbs.SendOpRDMARead
	if _, err := made(s.cq.(*cq).ctx.AllocPD())(t).CreateQP(init); !errors.Is(err, verbs.ErrNotSupported) {
		t.Errorf("a QP that is to READ: %v", err)
	}
}

// TestSRDIsEFAs: devices other than EFA have no SRD QPs.
func TestSRDIsEFAs(t *testing.T) {
	ctx := openLoopback(t)
	pd, cq := made(ctx.AllocPD())(t), made(ctx.CreateCQ(1, nil, 0))(t)
	if _, err := pd.CreateQP(srdInit(cq)); !errors.Is(err, verbs.ErrNotSupported) {
		t.Errorf("SRD: %v", err)
	}
}

// TestSRDOrder: SRD QPs return the data order that the device promises.
func TestSRDOrder(t *testing.T) {
	s := newSRD(t)
	for _, op := range []verbs.Opcode{verbs.OpSend, verbs.OpRDMAWrite, verbs.OpRDMARead} {
		if order, call, err := verbs.AskOrder(s.qps[0], op); order != verbs.OrderBlocks || err != nil {
			t.Errorf("%s: %s, %v", call, order, err)
		}
	}
	pd := made(s.cq.(*cq).ctx.AllocPD())(t)
	init := srdInit(s.cq)
	init.Type = verbs.QPTypeRC
	if _, err := pd.CreateQP(init); !errors.Is(err, verbs.ErrNotSupported) {
		t.Errorf("RC: %v", err)
	}
}
