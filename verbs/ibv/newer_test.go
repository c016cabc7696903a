//go:build linux && cgo

package ibv

import (
	"errors"
	"fmt"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"golang.org/x/sys/unix"

	"github.com/ibperf/ibperf/verbs"
)

// TestNewerCalls: the calls of rdma-core 59 and later work where the device has them.
func TestNewerCalls(t *testing.T) {
	t.Parallel()
	runOnStub(t, "^Test(PortSpeed|DMAHandle|CompCounter)OfTheStub$", "STUB_PORT_SPEED=4000", "STUB_TPH=1", "STUB_COUNTERS=1")
}

// TestAbsentNewerCalls: without them, in the device or in the library, their errors say what they need.
func TestAbsentNewerCalls(t *testing.T) {
	t.Parallel()
	runOnStub(t, "^TestNothingNewerOfTheStub$")
	runOnStub(t, "^TestNothingNewerOfTheStub$", "STUB_TPH=0")
	for _, errno := range []syscall.Errno{syscall.EPROTONOSUPPORT, syscall.ENOTTY} { // of older kernels
		failures := strings.ReplaceAll("query_port_speed:N,alloc_dmah:N,query_comp_cntr_caps:N,create_comp_cntr:N", "N", strconv.Itoa(int(errno)))
		runOnStub(t, "^TestNothingNewerOfTheStub$", "STUB_PORT_SPEED=4000", "STUB_TPH=1", "STUB_COUNTERS=1", "STUB_FAIL="+failures)
	}
	runOnStub(t, "^TestRegionWithoutHintsOfTheStub$", "STUB_TPH=1", fmt.Sprintf("STUB_FAIL=reg_mr_ex:%d", syscall.EPROTONOSUPPORT))
	old := t.TempDir()
	sources := made(filepath.Glob("testdata/libibverbs/*.c"))(t)
	args := slices.Concat([]string{"-DSTUB_OLD", "-O0", "-shared", "-fPIC", "-pthread", "-o", filepath.Join(old, "libibverbs.so.1")}, sources)
	if out, err := exec.Command("gcc", args...).CombinedOutput(); err != nil {
		t.Fatalf("gcc: %v\n%s", err, out)
	}
	runOnStub(t, "^TestNothingNewerOfTheStub$", "LD_LIBRARY_PATH="+old, "STUB_PORT_SPEED=4000", "STUB_TPH=1", "STUB_COUNTERS=1")
}

func needStub(t *testing.T) {
	t.Helper()
	if *deviceName != stub {
		t.Skip("run by other tests, with -device " + stub)
	}
}

func TestNothingNewerOfTheStub(t *testing.T) {
	needStub(t)
	ctx := stubContext(t)
	_, speed := ctx.(verbs.PortSpeedQuerier).QueryPortSpeed(1)
	_, handle := ctx.(verbs.DMAHandler).AllocDMAH(&verbs.DMAHInitAttr{})
	_, caps := ctx.(verbs.CompCounterCreator).QueryCompCounterCaps()
	_, counter := ctx.(verbs.CompCounterCreator).CreateCompCounter()
	for since, err := range map[string]error{"rdma-core 62": speed, "rdma-core 59, Linux 6.17": handle, "rdma-core 65": caps, "rdma-core 65 ": counter} {
		if !errors.Is(err, verbs.ErrNotSupported) || !strings.Contains(err.Error(), strings.TrimSpace(since)) {
			t.Errorf("%v, want that it is not supported and needs %s", err, since)
		}
	}
}

// A driver may have handles and no regions that take them.
func TestRegionWithoutHintsOfTheStub(t *testing.T) {
	needStub(t)
	s := newSession(t, verbs.SendOpRDMAWrite)
	handle, err := s.Ctx.(verbs.DMAHandler).AllocDMAH(&verbs.DMAHInitAttr{Mask: verbs.DMAHHint, Hint: 1})
	if err != nil {
		t.Fatal(err)
	}
	defer handle.Close()
	buffer := made(verbs.NewBuffer(4096))(t)
	defer buffer.Close()
	_, err = s.PD.(verbs.HintedRegistrar).RegMRHinted(buffer.Bytes(), verbs.AccessLocalWrite, handle)
	if !errors.Is(err, verbs.ErrNotSupported) || !strings.Contains(err.Error(), "a driver whose regions take DMA handles") {
		t.Errorf("%v, want that it is not supported and what it needs", err)
	}
}

func TestPortSpeedOfTheStub(t *testing.T) {
	needStub(t)
	if speed, err := stubContext(t).(verbs.PortSpeedQuerier).QueryPortSpeed(1); speed != 4000 || err != nil {
		t.Errorf("speed %d, error %v; want 4000", speed, err)
	}
}

// TestDMAHandleOfTheStub: a region has its handle until it is closed, and is used like any other.
func TestDMAHandleOfTheStub(t *testing.T) {
	needStub(t)
	s := newSession(t, verbs.SendOpRDMAWrite)
	handler := s.Ctx.(verbs.DMAHandler)
	runtime.LockOSThread() // whose CPUs the kernel looks at
	defer runtime.UnlockOSThread()
	var cpus unix.CPUSet
	if err := unix.SchedGetaffinity(0, &cpus); err != nil {
		t.Fatal(err)
	}
	all := verbs.DMAHCPU | verbs.DMAHHint | verbs.DMAHMemory
	for what, c := range map[string]struct {
		init verbs.DMAHInitAttr
		want syscall.Errno
		says string
	}{
		"hint 4":          {verbs.DMAHInitAttr{Mask: verbs.DMAHHint, Hint: 4}, syscall.EINVAL, "hints are 0 to 3"},
		"no hint":         {verbs.DMAHInitAttr{Mask: verbs.DMAHCPU | verbs.DMAHMemory}, syscall.EINVAL, ""},
		"no memory":       {verbs.DMAHInitAttr{Mask: verbs.DMAHCPU | verbs.DMAHHint}, syscall.EINVAL, ""},
		"a forbidden CPU": {verbs.DMAHInitAttr{Mask: all, CPU: 1023}, syscall.EPERM, "allowed to run on the CPU"},
	} {
		if _, err := handler.AllocDMAH(&c.init); !errors.Is(err, c.want) || !strings.Contains(err.Error(), c.says) {
			t.Errorf("%s: %v, want %v: %s", what, err, c.want, c.says)
		}
	}
	cpu := uint32(0)
	for !cpus.IsSet(int(cpu)) {
		cpu++
	}
	handle := made(handler.AllocDMAH(&verbs.DMAHInitAttr{Mask: all, CPU: cpu, Hint: 2, Memory: verbs.TPHPersistent}))(t)
	buffer := made(verbs.NewBuffer(4096))(t)
	defer buffer.Close()
	mr := made(s.PD.(verbs.HintedRegistrar).RegMRHinted(buffer.Bytes(), s.Config.Access, handle))(t)
	if err := handle.Close(); !errors.Is(err, syscall.EBUSY) {
		t.Errorf("closing the handle of a region: %v, want EBUSY", err)
	}
	copy(s.Mem, "to a cache")
	s.sge(0, 0, 10)
	wr := verbs.SendWR{Opcode: verbs.OpRDMAWrite, NumSGE: 1}
	wr.SetRDMA(mr.Addr(), mr.RKey())
	if _, err := s.QP.PostSend(s.list(wr)); err != nil {
		t.Fatal(err)
	}
	if all := s.completed(); len(all) != 1 || all[0].Status != verbs.WCSuccess || string(buffer.Bytes()[:10]) != "to a cache" {
		t.Errorf("completions %+v, memory %q", all, buffer.Bytes()[:10])
	}
	if err := errors.Join(mr.Close(), handle.Close()); err != nil {
		t.Error(err)
	}
}

// TestCompCounterOfTheStub: a counter counts the peer's WRITEs to a QP, and nothing else.
func TestCompCounterOfTheStub(t *testing.T) {
	needStub(t)
	s := newSession(t, verbs.SendOpRDMAWrite|verbs.SendOpRDMARead)
	creator := s.Ctx.(verbs.CompCounterCreator)
	if caps, err := creator.QueryCompCounterCaps(); err != nil || caps.Max < 1 || caps.Ops != verbs.CountRemoteWrites {
		t.Errorf("%+v, error %v", caps, err)
	}
	counter := made(creator.CreateCompCounter())(t)
	attach := s.QP.(verbs.CompCounterAttacher).AttachCompCounter
	if err := attach(counter, verbs.CountRemoteWrites); !errors.Is(err, syscall.EINVAL) {
		t.Errorf("attached in RTS: %v, want EINVAL", err)
	}
	s.To(verbs.QPReset, s)
	if err := attach(counter, verbs.CountRemoteWrites); err != nil {
		t.Fatal(err)
	}
	if err := attach(counter, verbs.CountRemoteWrites); !errors.Is(err, syscall.EBUSY) {
		t.Errorf("attached again: %v, want EBUSY", err)
	}
	s.Enter(verbs.QPRTS, s)
	s.sge(0, 0, 8)
	s.sge(2, 0, 8)
	s.sge(4, 8, 8)
	if _, err := s.QP.PostSend(s.list(s.toward(verbs.OpRDMAWrite, 512), s.toward(verbs.OpRDMAWrite, 1024), s.toward(verbs.OpRDMARead, 512))); err != nil {
		t.Fatal(err)
	}
	if all := s.completed(); len(all) != 3 {
		t.Errorf("%d completions, want 3", len(all))
	}
	if n, err := counter.Read(); n != 2 || err != nil {
		t.Errorf("the counter has %d, error %v; want 2 WRITEs", n, err)
	}
	if n, err := counter.ReadSpin(1, 1000); n != 2 || err != nil {
		t.Errorf("spinning on 1: %d, error %v; want 2", n, err)
	}
	if n, err := counter.ReadSpin(2, 1000); n != 2 || err != nil {
		t.Errorf("spinning on 2: %d, error %v; want the 2 that did not change", n, err)
	}
	if err := counter.Close(); !errors.Is(err, syscall.EBUSY) {
		t.Errorf("closing the counter of a QP: %v, want EBUSY", err)
	}
	if err := errors.Join(s.QP.Close(), counter.Close()); err != nil {
		t.Error(err)
	}
}
