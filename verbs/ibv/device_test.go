//go:build linux && cgo

package ibv

import (
	"flag"
	"testing"

	"github.com/ibperf/ibperf/verbs"
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

// rig is what a test needs of a device: two QPs, not connected.
type rig struct {
	ctx  verbs.Context
	port verbs.PortAttr
	gid  verbs.GIDEntry
	pd   verbs.PD
	cq   verbs.CQ
	qps  [2]verbs.QP
}

func newRig(t *testing.T) *rig {
	t.Helper()
	return newRigOf(t, verbs.QPTypeRC)
}

func newRigOf(t *testing.T, transport verbs.QPType) *rig {
	t.Helper()
	r := &rig{}
	var err error
	must := func(what string) {
		t.Helper()
		if err != nil {
			t.Fatalf("%s: %v", what, err)
		}
	}
	r.ctx, err = testDevice(t).Open()
	must("open")
	t.Cleanup(func() { r.ctx.Close() })
	r.port, err = r.ctx.QueryPort(1)
	must("port")
	table, err := r.ctx.QueryGIDTable(r.port.GIDTableLen)
	must("GID table")
	r.gid, _ = verbs.BestGID(table, 1)
	r.pd, err = r.ctx.AllocPD()
	must("pd")
	t.Cleanup(func() { r.pd.Close() })
	r.cq, err = r.ctx.CreateCQ(16, nil, 0)
	must("cq")
	t.Cleanup(func() { r.cq.Close() })
	for i := range r.qps {
		r.qps[i], err = r.pd.CreateQP(&verbs.QPInitAttr{
			SendCQ: r.cq, RecvCQ: r.cq, Type: transport,
			Cap: verbs.QPCap{MaxSendWR: 4, MaxRecvWR: 4, MaxSendSGE: 1, MaxRecvSGE: 1},
		})
		must("qp")
		t.Cleanup(func() { r.qps[i].Close() })
	}
	return r
}

// connect takes both QPs to RTS.
func (r *rig) connect(t *testing.T) {
	t.Helper()
	var ends [2]verbs.Endpoint
	for i, q := range r.qps {
		ends[i] = verbs.Endpoint{QPNum: q.QPNum(), PSN: uint32(i), GID: r.gid.GID, LID: r.port.LID, MTU: r.port.ActiveMTU, RdAtomic: 1}
	}
	for i, q := range r.qps {
		if err := verbs.Connect(q, verbs.Path{Port: 1, GIDIndex: r.gid.Index}, 0, ends[i], ends[1-i]); err != nil {
			t.Fatal(err)
		}
	}
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

// TestListingNeedsNoDevice: a machine without RDMA has no devices, and no fault.
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
