//go:build linux && cgo

package ibv

import (
	"flag"
	"testing"

	"github.com/ibperf/ibperf/verbs"
	"github.com/ibperf/ibperf/verbs/verbstest/fixture"
)

var (
	deviceName = flag.String("device", "", "RDMA device to test, such as mlx5_0; none: tests that need one are skipped")
	quirksFile = flag.String("quirks", "", "file of quirks of the device, beside those of package verbstest, which describes the format")
	cmAddr     = flag.String("address", "", "IP address of the device's network interface, for the tests of rdma_cm")
)

// testDevice returns the device under test.
func testDevice(t *testing.T) verbs.Device {
	t.Helper()
	if *deviceName == "" {
		t.Skip("no RDMA device: name one with -device")
	}
	d, err := backend{}.Lookup(*deviceName)
	if err != nil {
		t.Fatal(err)
	}
	if d == nil {
		t.Fatalf("there is no device %s; libibverbs: %s", *deviceName, backend{}.Version())
	}
	return d
}

// twoQPs are QPs of the device under test, which are not connected.
type twoQPs struct {
	*fixture.Side // with the first one
	qps           [2]verbs.QP
}

func newTwoQPs(t *testing.T, transport verbs.QPType) *twoQPs {
	t.Helper()
	ctx := fixture.Open(t, testDevice(t))
	port := made(ctx.QueryPort(1))(t)
	best, _ := verbs.BestGID(made(ctx.QueryGIDTable(port.GIDTableLen))(t), 1)
	c := fixture.Default().WithType(transport)
	c.OneCQ, c.GIDIndex = true, best.Index
	r := &twoQPs{Side: fixture.New(t, ctx, c)}
	r.qps[1] = r.QP
	r.NewQP()
	r.qps[0] = r.QP
	return r
}

// connect moves both QPs to RTS.
func (r *twoQPs) connect() {
	r.T.Helper()
	second := *r.Side
	second.QP = r.qps[1]
	fixture.Connect(r.Side, &second)
}

func TestVersionNamesTheLibrary(t *testing.T) {
	version := backend{}.Version()
	if version == "" {
		t.Error("no version")
	}
	t.Log("libibverbs: ", version)
	for file, want := range map[string]int{
		"/usr/lib/libibverbs.so.1.14.44.0": 44, "libibverbs.so.1.15.60.1": 60, "libibverbs.so.1": 0, "libother.so.1.2.3.4": 0,
	} {
		if got := versionOf(file); got != want {
			t.Errorf("version of %s is %d, want %d", file, got, want)
		}
	}
}

// TestListingNeedsNoDevice: on a machine without RDMA, Devices returns no error.
func TestListingNeedsNoDevice(t *testing.T) {
	if _, err := (backend{}).Devices(); err != nil {
		t.Error(err)
	}
	if d, err := (backend{}).Lookup("no_such_device"); d != nil || err != nil {
		t.Errorf("a device that does not exist: %v, %v", d, err)
	}
}

func TestSoftwareDevicesSaySo(t *testing.T) {
	if got := (&device{name: "no_such_device"}).Software(); got == "" {
		t.Error("a device without hardware below it passes for hardware")
	}
}

func TestDeviceThatWasRemovedIsNotPresent(t *testing.T) {
	if (&device{name: "no_such_device", node: "no_such_node"}).Present() {
		t.Error("a device without a node in sysfs is present")
	}
	if *deviceName != "" && !testDevice(t).Present() {
		t.Errorf("%s is not present", *deviceName)
	}
}
