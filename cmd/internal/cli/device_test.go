package cli

import (
	"net/netip"
	"strings"
	"testing"

	"github.com/ibperf/ibperf/internal/host"
	"github.com/ibperf/ibperf/oob"
	"github.com/ibperf/ibperf/option"
	"github.com/ibperf/ibperf/verbs"
)

var embeddedClient, realClient = oob.DeviceID{Name: "shm_block128", Backend: "shm", Boot: host.BootID()}, oob.DeviceID{Name: "mlx5_0", Backend: "ibv", Boot: host.BootID()}

func TestChooseClient(t *testing.T) {
	for _, c := range []struct {
		name, device string
		port         int
		want, why    string
	}{
		{"the first active real device", "", 1, "fake0", "first of 2 RDMA devices with port 1 active"},
		{"named", "shm_unordered", 1, "shm_unordered", ""},
		{"named and unlisted", "shm_liar", 1, "shm_liar", ""},
		{"named with a seed", "shm_unordered:seed=7", 1, "shm_unordered:seed=7", ""},
		{"of the environment", "", 2, "shm_block128", "IBPERF_DEVICE names it"},
		{"named beside the environment", "fake0", 1, "fake0", ""},
	} {
		t.Setenv(option.DeviceVariable, map[bool]string{true: "shm_block128"}[strings.Contains(c.name, "environment")])
		got, err := chooseOne(&option.Own{Device: c.device, IBPort: c.port}, "")
		if err != nil || got.device.Name() != c.want || !strings.Contains(got.why, c.why) || (c.why == "") != (got.why == "") {
			t.Errorf("%s: %+v, %v, want %s because %q", c.name, got, err, c.want, c.why)
		}
	}
}

// Several devices are those of the list, each with its port or else that of --ib-port. Programs that run on one refuse them, and
// the environment names one.
func TestChooseSeveral(t *testing.T) {
	chosen, err := chooseClient(&option.Own{Device: "fake0,shm_unordered:seed=7:3,shm_whole:2", IBPort: 1}, "")
	if text := names(chosen); err != nil || text != "fake0:1 shm_unordered:seed=7:3 shm_whole:2" {
		t.Errorf("%s, %v", text, err)
	}
	_, err = chooseOne(&option.Own{Device: "fake0,fake1", IBPort: 1}, "")
	wantEnd(t, "one of several", err, StatusUsage, "--ib-dev", "name one")
	t.Setenv(option.DeviceVariable, "fake0,fake1")
	_, err = chooseClient(&option.Own{IBPort: 1}, "")
	wantEnd(t, "several in the environment", err, StatusUsage, "IBPERF_DEVICE", "name several with -d")
}

// names returns the names and ports of chosen devices.
func names(all []choice) string {
	var texts []string
	for _, c := range all {
		texts = append(texts, option.DevicePort{Device: c.device.Name(), Port: c.port}.String())
	}
	return strings.Join(texts, " ")
}

// A server has a device for each of a client's, in their order.
func TestChooseServerForSeveral(t *testing.T) {
	second := realClient
	second.Name = "mlx5_1"
	embedded := oob.DeviceID{Name: "shm_whole", Backend: "shm", Boot: host.BootID()}
	for _, c := range []struct {
		name, device string
		client       []oob.DeviceID
		want         string
	}{
		{"embedded ones", "", []oob.DeviceID{embeddedClient, embedded}, "shm_block128:1 shm_whole:1"},
		{"the usable ones", "", []oob.DeviceID{realClient, second}, "fake0:1 fake1:1"},
		{"named", "fake1:1,fake0", []oob.DeviceID{realClient, second}, "fake1:1 fake0:1"},
		{"the first named one for one", "fake1,fake0", []oob.DeviceID{realClient}, "fake1:1"},
		{"one named for two", "fake1", []oob.DeviceID{realClient, second}, "the client measures 2 devices at the same time (mlx5_0, mlx5_1), and the server has 1 for them"},
		{"two usable for three", "", []oob.DeviceID{realClient, second, second}, "and the server has 2 for them"},
		{"of two kinds", "fake0,fake1", []oob.DeviceID{realClient, embedded}, "which cannot reach each other"},
	} {
		got, err := chooseServer(&option.Own{Device: c.device, IBPort: 1}, c.client, netip.Addr{})
		text := names(got)
		if err != nil {
			text = err.Error()
		}
		if !strings.Contains(text, c.want) {
			t.Errorf("%s: %s, want %s", c.name, text, c.want)
		}
	}
}

// A client never replaces an RDMA device by an embedded one. Its error has the obstacle of each device.
func TestChooseClientWithoutAUsableDevice(t *testing.T) {
	_, err := chooseClient(&option.Own{IBPort: 2}, "")
	wantEnd(t, "port 2", err, StatusDevice, "no RDMA device is usable: ", "open device fakelocked", "device fakedown has no port 2",
		"device fake0 has no port 2", "-d shm_whole", "IBPERF_DEVICE=shm_whole")
	if strings.Contains(err.Error(), "\n") {
		t.Errorf("the error has lines: %v", err)
	}
}

func TestChooseServer(t *testing.T) {
	for _, c := range []struct {
		name, device string
		client       oob.DeviceID
		want         string
	}{
		{"the client's before the environment's", "", embeddedClient, "shm_block128"},
		{"the environment's", "", realClient, "fakedown"},
		{"named beside the environment's", "fake0", realClient, "fake0"},
		{"as the embedded client", "", embeddedClient, "shm_block128"},
		{"with the client's seed", "", oob.DeviceID{Name: "shm_unordered:seed=7", Backend: "shm", Boot: host.BootID()}, "shm_unordered:seed=7"},
		{"the unlisted one of the client", "", oob.DeviceID{Name: "shm_liar", Backend: "shm", Boot: host.BootID()}, "shm_liar"},
		{"its own first active for a real client", "", realClient, "fake0"},
		{"named, both embedded", "shm_whole", embeddedClient, "shm_whole"},
		{"named, both real", "fake0", realClient, "fake0"},
	} {
		t.Setenv(option.DeviceVariable, map[bool]string{true: "fakedown"}[strings.Contains(c.name, "environment")])
		got, err := onlyOne(chooseServer(&option.Own{Device: c.device, IBPort: 1}, []oob.DeviceID{c.client}, netip.Addr{}))
		if err != nil || got.device.Name() != c.want {
			t.Errorf("%s: %+v, %v, want %s", c.name, got, err, c.want)
		}
	}
}

func TestChooseServerRefuses(t *testing.T) {
	for _, c := range []struct {
		name, device string
		port         int
		client       oob.DeviceID
		status       int
		want         []string
	}{
		{"embedded against real", "shm_whole", 1, realClient, StatusUsage, []string{"shm_whole", "mlx5_0"}},
		{"real against embedded", "fake0", 1, embeddedClient, StatusUsage, []string{"fake0", "shm_block128"}},
		{"no real device", "", 2, realClient, StatusDevice, []string{"mlx5_0", "no RDMA device is usable"}},
		{"unknown embedded name", "", 1, oob.DeviceID{Name: "shm_new", Backend: "shm", Boot: host.BootID()}, StatusDevice, []string{"shm_new", "shm_whole"}},
		{"a real device called embedded", "", 1, oob.DeviceID{Name: "fake0", Backend: "shm", Boot: host.BootID()}, StatusPeer, []string{"fake0"}},
		{"of the environment, against real", "", 1, realClient, StatusUsage, []string{"shm_whole", "mlx5_0", "IBPERF_DEVICE names the server's"}},
		{"unknown device", "nope", 1, realClient, StatusDevice, []string{"nope", "there are", "fake0"}},
	} {
		t.Setenv(option.DeviceVariable, map[bool]string{true: "shm_whole"}[strings.Contains(c.name, "environment")])
		_, err := chooseServer(&option.Own{Device: c.device, IBPort: c.port}, []oob.DeviceID{c.client}, netip.Addr{})
		if Status(err) != c.status {
			t.Errorf("%s: %v, status %d, want %d", c.name, err, Status(err), c.status)
		}
		for _, w := range c.want {
			if err == nil || !strings.Contains(err.Error(), w) {
				t.Errorf("%s: %v, want %q in it", c.name, err, w)
			}
		}
	}
}

func TestOpenDevice(t *testing.T) {
	for name, want := range map[string]string{
		"fakedown": "port 1 of device fakedown is DOWN, not ACTIVE", "fakelocked": "permission denied",
		"fakeiwarp": "device fakeiwarp is iWARP",
	} {
		c, err := lookup(name, 1, "")
		if err != nil {
			t.Fatal(err)
		}
		if _, err = openDevice(c.device, 1); Status(err) != StatusDevice || !strings.Contains(err.Error(), want) {
			t.Errorf("open %s: %v, want %q", name, err, want)
		}
	}
}

func TestCureOfAPortThatIsNotActive(t *testing.T) {
	for _, c := range []struct {
		port verbs.PortAttr
		want string
	}{
		{verbs.PortAttr{LinkLayer: verbs.LinkEthernet, State: verbs.PortDown}, "network interface"},
		{verbs.PortAttr{LinkLayer: verbs.LinkInfiniBand, State: verbs.PortDown}, "check cable and link"},
		{verbs.PortAttr{LinkLayer: verbs.LinkInfiniBand, State: verbs.PortInit}, "subnet manager"},
		{verbs.PortAttr{LinkLayer: verbs.LinkInfiniBand, State: verbs.PortArmed}, "subnet manager"},
	} {
		if got := cure(c.port); !strings.Contains(got, c.want) {
			t.Errorf("%s port that is %s: %q, want %q", c.port.LinkLayer, c.port.State, got, c.want)
		}
	}
}

func TestAddressOfHostAndPort(t *testing.T) {
	for hostPort, want := range map[string]string{
		"10.0.0.1:18515": "10.0.0.1", "[fe80::1%eth0]:5": "fe80::1%eth0", "pipe": "invalid IP", "": "invalid IP",
	} {
		if got := addrOf(hostPort).String(); got != want {
			t.Errorf("%q: %s, want %s", hostPort, got, want)
		}
	}
}
