//go:build linux && cgo

package ibv

import (
	"os"
	"testing"

	"golang.org/x/sys/unix"

	"github.com/ibperf/ibperf/verbs"
)

// TestDMABuf: requests access the memory of a descriptor, at an offset and with addresses
// from iova on.
func TestDMABuf(t *testing.T) {
	if !onStub(t) {
		return
	}
	const offset, iova = 4096, 1 << 32
	fd := made(unix.MemfdCreate("dma-buf", unix.MFD_CLOEXEC))(t)
	file := os.NewFile(uintptr(fd), "dma-buf")
	defer file.Close()
	if err := file.Truncate(2 * offset); err != nil {
		t.Fatal(err)
	}
	s := newSession(t, verbs.SendOpRDMAWrite)
	pd := s.PD.(verbs.DMABufRegistrar)
	mr := made(pd.RegDMABufMR(offset, 64, iova, fd, s.Config.Access))(t)
	defer mr.Close()
	copy(s.Mem, "for a GPU")
	s.sge(0, 0, 9)
	wr := verbs.SendWR{Opcode: verbs.OpRDMAWrite, NumSGE: 1}
	wr.SetRDMA(mr.Addr()+8, mr.RKey())
	if _, err := s.QP.PostSend(s.list(wr)); err != nil {
		t.Fatal(err)
	}
	if got := s.completed(); len(got) != 1 || got[0].Status != verbs.WCSuccess {
		t.Fatalf("completions %+v", got)
	}
	var there [9]byte
	if _, err := file.ReadAt(there[:], offset+8); err != nil || string(there[:]) != "for a GPU" {
		t.Errorf("%v: the memory holds %q", err, there)
	}
	if _, err := pd.RegDMABufMR(0, 64, iova, -1, s.Config.Access); err == nil {
		t.Error("descriptor -1 was accepted")
	}
}
