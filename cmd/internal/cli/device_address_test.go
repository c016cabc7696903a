package cli

import (
	"net/netip"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/ibperf/ibperf/oob"
	"github.com/ibperf/ibperf/option"
)

// Of several usable devices both sides choose the one with the address of the control connection, and say
// why: a client with the address that it connects from, a server with the one that the client has reached.
func TestDeviceWithTheAddressComesFirst(t *testing.T) {
	const first = "the first of 2 RDMA devices with port 1 active"
	for address, want := range map[string]struct{ device, why string }{
		"10.0.0.7":        {"fake1", first + " that has the control connection's address, 10.0.0.7"},
		"::ffff:10.0.0.7": {"fake1", first + " that has the control connection's address, 10.0.0.7"},
		"10.0.0.8":        {"fake0", first + "; none has the control connection's address, 10.0.0.8: name another with -d"},
		"127.0.0.1":       {"fake0", first},
		"::1":             {"fake0", first},
		"":                {"fake0", first},
	} {
		client, err := chooseOne(&option.Own{IBPort: 1, Source: address}, "127.0.0.1")
		if err != nil || client.device.Name() != want.device || client.why != want.why {
			t.Errorf("client from %q: %+v, %v, want %+v", address, client, err, want)
		}
		reached, _ := netip.ParseAddr(address)
		server, err := onlyOne(chooseServer(&option.Own{IBPort: 1}, []oob.DeviceID{realClient}, reached))
		if err != nil || server.device.Name() != want.device || server.why != want.why {
			t.Errorf("server at %q: %+v, %v, want %+v", address, server, err, want)
		}
	}
}

func TestLocalAddress(t *testing.T) {
	for peer, want := range map[string]string{"127.0.0.1": "127.0.0.1", "": "invalid IP"} {
		if got := localAddress(peer).String(); got != want {
			t.Errorf("to %q: %s, want %s", peer, got, want)
		}
	}
}

func TestInterfaceOfADevice(t *testing.T) {
	root := fstest.MapFS{"sys/class/infiniband/mlx5_0/device/net/ib0/address": {}}
	for device, want := range map[string]bool{"mlx5_0": true, "mlx5_1": false} {
		if got := hasInterface(root, device, []string{"eth0", "ib0"}); got != want {
			t.Errorf("%s: %v, want %v", device, got, want)
		}
	}
	names := interfacesWith(netip.MustParseAddr("127.0.0.1"))
	if !slices.ContainsFunc(names, func(n string) bool { return strings.HasPrefix(n, "lo") }) {
		t.Errorf("127.0.0.1 is on %v", names)
	}
}
