//go:build linux && cgo

package ibv

import (
	"flag"
	"net/netip"
	"os"
	"testing"

	"github.com/ibperf/ibperf/internal/emulation"
	"github.com/ibperf/ibperf/internal/leak"
	"github.com/ibperf/ibperf/verbs"
	"github.com/ibperf/ibperf/verbs/verbstest"
)

// TestMain lets the suite start this binary as a second process. Without -device most tests
// wait for child processes, so more of them run at once than there are CPUs.
func TestMain(m *testing.M) {
	verbstest.Child()
	flag.Parse()
	if *deviceName == "" {
		flag.Set("test.parallel", "8")
	}
	tests := func() int {
		defer func() { os.RemoveAll(stubLibrary) }()
		return m.Run()
	}
	if os.Getenv("STUB_SHARED") != "" { // the stub replaces registered memory, and cannot give it back
		os.Exit(tests())
	}
	useCM()
	os.Exit(leak.Run(tests, queuesOfAClosedDevice))
}

// queuesOfAClosedDevice allows what statement E-28 leaves on rxe0, whose driver maps the two queues of a QP and its two CQs: they
// are closed after their device, when libibverbs can no longer destroy them.
var queuesOfAClosedDevice = leak.Allowed{Name: "/dev/infiniband/uverbs0", N: 4}

// useCM makes librdmacm open the device, which it keeps until the process ends. The tests find out whether that works.
func useCM() {
	addr, bad := netip.ParseAddr(*cmAddr)
	d, err := backend{}.Lookup(*deviceName)
	if bad != nil || err != nil || d == nil {
		return
	}
	c, err := d.Open()
	if err != nil {
		return
	}
	defer c.Close()
	if conn, err := c.(verbs.ConnManager).ResolveCM(verbs.CMConnections, netip.AddrPortFrom(addr, 1), verbs.CMDefaultTOS, patience); err == nil {
		conn.Close()
	}
}

// TestConformance holds the device to the statements of the suite.
func TestConformance(t *testing.T) {
	target := verbstest.TargetOf(testDevice(t), givenQuirks(t)...)
	if emulation.On() {
		target.Peer = verbstest.NoPeer
	}
	verbstest.Run(t, target)
}

// givenQuirks returns the quirks of the file that -quirks names.
func givenQuirks(t *testing.T) []verbstest.Quirk {
	t.Helper()
	if *quirksFile == "" {
		return nil
	}
	text, err := os.ReadFile(*quirksFile)
	if err != nil {
		t.Fatal(err)
	}
	quirks, err := verbstest.ParseQuirks(*quirksFile, string(text))
	if err != nil {
		t.Fatal(err)
	}
	return quirks
}
