//go:build linux && cgo

package ibv

import (
	"bytes"
	"errors"
	"net/netip"
	"syscall"
	"testing"
	"time"

	"github.com/ibperf/ibperf/verbs"
)

// patience is how long a test waits for what must happen, on slow machines too.
const patience = 20 * time.Second

func testAddress(t *testing.T) netip.Addr {
	t.Helper()
	testDevice(t)
	if *cmAddr == "" {
		t.Skip("no IP address of the device: give one with -address")
	}
	return netip.MustParseAddr(*cmAddr)
}

// TestCMConnectsTwoQPs connects both QPs of a rig by address and sends a message.
func TestCMConnectsTwoQPs(t *testing.T) {
	addr := testAddress(t)
	r := newRig(t)
	manager := r.ctx.(verbs.ConnManager)
	l, err := manager.ListenCM(netip.AddrPortFrom(addr, 0))
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	served := make(chan error, 1)
	go func() { served <- serveCM(t, l, r.qps[1]) }()

	c, err := manager.ResolveCM(netip.AddrPortFrom(addr, l.Port()), verbs.CMDefaultTOS, patience)
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	if err := c.Connect(verbs.CMParam{QPNum: r.qps[0].QPNum(), PrivateData: []byte("from the client"), RdAtomic: 1}, patience); err != nil {
		t.Fatal(err)
	}
	if !bytes.HasPrefix(c.PrivateData(), []byte("from the server")) {
		t.Errorf("private data of the server: %q", c.PrivateData())
	}
	if err := verbs.ConnectCM(r.qps[0], c, 0, 1, verbs.MTU1024, nil); err != nil {
		t.Fatal(err)
	}
	if err := c.Establish(); err != nil {
		t.Fatal(err)
	}
	if err := <-served; err != nil {
		t.Fatal(err)
	}
	r.exchangeEmpty(t)
}

func serveCM(t *testing.T, l verbs.CMListener, qp verbs.QP) error {
	c, err := l.Next(patience)
	if err != nil {
		return err
	}
	t.Cleanup(func() { c.Close() })
	if !bytes.HasPrefix(c.PrivateData(), []byte("from the client")) {
		t.Errorf("private data of the client: %q", c.PrivateData())
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
func (r *rig) exchangeEmpty(t *testing.T) {
	t.Helper()
	recv, _ := verbs.Make[verbs.RecvWR](1)
	send, _ := verbs.Make[verbs.SendWR](1)
	wc, _ := verbs.Make[verbs.WC](2)
	send[0] = verbs.SendWR{Opcode: verbs.OpSend, SendFlags: verbs.SendSignaled}
	if _, err := r.qps[1].PostRecv(&recv[0]); err != nil {
		t.Fatal(err)
	}
	if _, err := r.qps[0].PostSend(&send[0]); err != nil {
		t.Fatal(err)
	}
	for deadline, got := time.Now().Add(patience), 0; got < 2; {
		n, err := r.cq.PollSpin(wc, 1000)
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
	manager := newRig(t).ctx.(verbs.ConnManager)
	l, err := manager.ListenCM(netip.AddrPortFrom(addr, 0))
	if err != nil {
		t.Fatal(err)
	}
	port := l.Port()
	if _, err := l.Next(time.Millisecond); !errors.Is(err, verbs.ErrTimeout) {
		t.Errorf("nobody came: %v", err)
	}
	l.Close()
	c, err := manager.ResolveCM(netip.AddrPortFrom(addr, port), verbs.CMDefaultTOS, patience)
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	if err := c.Connect(verbs.CMParam{QPNum: 17}, patience); !errors.Is(err, syscall.ECONNREFUSED) {
		t.Errorf("nobody listens: %v", err)
	}
	if _, err := manager.ResolveCM(netip.MustParseAddrPort("192.0.2.1:1"), verbs.CMDefaultTOS, patience); err == nil {
		t.Error("an address that no device reaches was resolved")
	}
	if _, err := manager.ListenCM(netip.MustParseAddrPort("192.0.2.1:1")); err == nil {
		t.Error("listening at a foreign address")
	}
}
