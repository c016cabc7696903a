//go:build linux && cgo

package ibv

import (
	"bytes"
	"errors"
	"net/netip"
	"syscall"
	"testing"
	"time"
	"unsafe"

	"github.com/ibperf/ibperf/verbs"
)

// patience bounds each wait for something that must happen, also on slow machines.
const patience = 20 * time.Second

func testAddress(t *testing.T) netip.Addr {
	t.Helper()
	testDevice(t)
	if *cmAddr == "" {
		t.Skip("no IP address of the device: give one with -address")
	}
	return netip.MustParseAddr(*cmAddr)
}

// request connects to a listener whose requests serve accepts. It returns the connection, and
// a function that waits until serve ends.
func (r *twoQPs) request(t *testing.T, space verbs.CMSpace, tos int, param verbs.CMParam, serve func(l verbs.CMListener) error) (verbs.CMConn, func()) {
	t.Helper()
	addr, manager := testAddress(t), r.Ctx.(verbs.ConnManager)
	l := made(manager.ListenCM(space, netip.AddrPortFrom(addr, 0)))(t)
	t.Cleanup(func() { l.Close() })
	served := make(chan error, 1)
	go func() { served <- serve(l) }()
	c := made(manager.ResolveCM(space, netip.AddrPortFrom(addr, l.Port()), tos, patience))(t)
	t.Cleanup(func() { c.Close() })
	if err := c.Connect(param, patience); err != nil {
		t.Fatal(err)
	}
	return c, func() {
		if err := <-served; err != nil {
			t.Fatal(err)
		}
	}
}

// TestCMConnectsTwoQPs connects two QPs by address and sends a message.
func TestCMConnectsTwoQPs(t *testing.T) {
	testAddress(t)
	r := newTwoQPs(t, verbs.QPTypeRC)
	param := verbs.CMParam{QPNum: r.qps[0].QPNum(), PrivateData: []byte("from the client"), RdAtomic: 1}
	c, wait := r.request(t, verbs.CMConnections, verbs.CMDefaultTOS, param, func(l verbs.CMListener) error { return serveCM(t, l, r.qps[1]) })
	if !bytes.HasPrefix(c.PrivateData(), []byte("from the server")) {
		t.Errorf("private data of the server: %q", c.PrivateData())
	}
	if err := verbs.ConnectCM(r.qps[0], c, 0, 1, verbs.MTU1024, nil); err != nil {
		t.Fatal(err)
	}
	if err := c.Establish(); err != nil {
		t.Fatal(err)
	}
	wait()
	r.exchangeEmpty(t, func(*verbs.SendWR) {})
}

// TestCMFindsDatagrams asks for a UD QP by its address and sends it a message.
func TestCMFindsDatagrams(t *testing.T) {
	testAddress(t)
	r := newTwoQPs(t, verbs.QPTypeUD)
	param := verbs.CMParam{PrivateData: []byte("from the client")}
	c, wait := r.request(t, verbs.CMDatagrams, 0x20, param, func(l verbs.CMListener) error { return serveDatagrams(t, l, r.qps[1]) })
	wait()
	to := c.Datagrams()
	if to.QPNum != r.qps[1].QPNum() || to.AH.PortNum != 1 || to.AH.GRH.TrafficClass != 0x20 || !bytes.HasPrefix(c.PrivateData(), []byte("from the server")) {
		t.Errorf("the server's QP %#x is at %+v, which says %q", r.qps[1].QPNum(), to, c.PrivateData())
	}
	for _, qp := range r.qps {
		if err := verbs.ActivateCM(qp, c, 1); err != nil {
			t.Fatal(err)
		}
	}
	ah := made(r.PD.CreateAH(&to.AH))(t)
	defer ah.Close()
	r.exchangeEmpty(t, func(wr *verbs.SendWR) { wr.SetUD(ah, to.QPNum, to.QKey) })
}

// requestOf returns the next request of a client.
func requestOf(t *testing.T, l verbs.CMListener) (verbs.CMConn, error) {
	c, err := l.Next(patience)
	if err != nil {
		return nil, err
	}
	t.Cleanup(func() { c.Close() })
	if !bytes.HasPrefix(c.PrivateData(), []byte("from the client")) {
		t.Errorf("private data of the client: %q", c.PrivateData())
	}
	return c, nil
}

func serveDatagrams(t *testing.T, l verbs.CMListener, qp verbs.QP) error {
	c, err := requestOf(t, l)
	if err != nil {
		return err
	}
	return c.Accept(verbs.CMParam{QPNum: qp.QPNum(), PrivateData: []byte("from the server")})
}

func serveCM(t *testing.T, l verbs.CMListener, qp verbs.QP) error {
	c, err := requestOf(t, l)
	if err != nil {
		return err
	}
	if err := verbs.ConnectCM(qp, c, 0, 1, verbs.MTU1024, nil); err != nil {
		return err
	}
	if err := c.Accept(verbs.CMParam{QPNum: qp.QPNum(), PrivateData: []byte("from the server"), RdAtomic: 1}); err != nil {
		return err
	}
	return c.AwaitEstablished(patience)
}

// exchangeEmpty sends an empty message from the first QP to the second.
func (r *twoQPs) exchangeEmpty(t *testing.T, aim func(wr *verbs.SendWR)) {
	t.Helper()
	memory := made(verbs.NewBuffer(verbs.GRHSize))(t) // which a message of UD takes, also an empty one
	defer memory.Close()
	mr := made(r.PD.RegMR(memory.Bytes(), verbs.AccessLocalWrite))(t)
	defer mr.Close()
	sge, _ := verbs.Make[verbs.SGE](1)
	sge[0] = verbs.SGE{Addr: uint64(uintptr(unsafe.Pointer(&memory.Bytes()[0]))), Length: verbs.GRHSize, LKey: mr.LKey()}
	recv, _ := verbs.Make[verbs.RecvWR](1)
	recv[0] = verbs.RecvWR{SGList: &sge[0], NumSGE: 1}
	send, _ := verbs.Make[verbs.SendWR](1)
	wc, _ := verbs.Make[verbs.WC](2)
	send[0] = verbs.SendWR{Opcode: verbs.OpSend, SendFlags: verbs.SendSignaled}
	aim(&send[0])
	if _, err := r.qps[1].PostRecv(&recv[0]); err != nil {
		t.Fatal(err)
	}
	if _, err := r.qps[0].PostSend(&send[0]); err != nil {
		t.Fatal(err)
	}
	for deadline, got := time.Now().Add(patience), 0; got < 2; {
		n, err := r.RecvCQ.PollSpin(wc, 1000)
		if err != nil || time.Now().After(deadline) {
			t.Fatalf("%d of 2 completions: %v", got, err)
		}
		for _, c := range wc[:n] {
			if c.Status != verbs.WCSuccess {
				t.Fatalf("completion %s", c.Status)
			}
		}
		got += n
	}
}

func TestCMRefusals(t *testing.T) {
	addr := testAddress(t)
	manager := newTwoQPs(t, verbs.QPTypeRC).Ctx.(verbs.ConnManager)
	l, err := manager.ListenCM(verbs.CMConnections, netip.AddrPortFrom(addr, 0))
	if err != nil {
		t.Fatal(err)
	}
	port := l.Port()
	if _, err := l.Next(time.Millisecond); !errors.Is(err, verbs.ErrTimeout) {
		t.Errorf("Next without a client: %v", err)
	}
	l.Close()
	c, err := manager.ResolveCM(verbs.CMConnections, netip.AddrPortFrom(addr, port), verbs.CMDefaultTOS, patience)
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	if err := c.Connect(verbs.CMParam{QPNum: 17}, patience); !errors.Is(err, syscall.ECONNREFUSED) {
		t.Errorf("Connect without a listener: %v", err)
	}
	if _, err := manager.ResolveCM(verbs.CMConnections, netip.MustParseAddrPort("192.0.2.1:1"), verbs.CMDefaultTOS, patience); err == nil {
		t.Error("an address that no device reaches was resolved")
	}
	if _, err := manager.ListenCM(verbs.CMConnections, netip.MustParseAddrPort("192.0.2.1:1")); err == nil {
		t.Error("listening at a foreign address")
	}
}
