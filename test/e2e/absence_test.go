package e2e

import (
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// tryEmbedded are what a program says that found no usable RDMA device.
var tryEmbedded = []string{"no RDMA device is usable: ", "-d shm_whole", "IBPERF_DEVICE=shm_whole"}

// clients are command lines, one of each kind, that take a device without being told which.
var clients = []string{
	"ib_write_bw -w 100 " + loopback, "ib_send_lat --format json " + loopback, "ib_compare --dir out " + loopback,
	"ib_conform --loopback --may-crash", "ib_conform --may-crash " + loopback,
}

// noDevice are environments in which a program has no usable RDMA device, and what it says of each.
func noDevice(t *testing.T) map[string]struct {
	env  []string
	says string
} {
	t.Helper()
	empty := t.TempDir() // in which the library is no library
	if err := os.WriteFile(filepath.Join(empty, "libibverbs.so.1"), nil, 0o666); err != nil {
		t.Fatal(err)
	}
	device := stub(t)
	return map[string]struct {
		env  []string
		says string
	}{
		"port down":       {slices.Concat(device, []string{"STUB_STATE=1"}), "port 1 of device stub0 is DOWN, not ACTIVE: check its cable, and set its network interface up"},
		"port not set up": {slices.Concat(device, []string{"STUB_STATE=2", "STUB_LINK=1"}), "port 1 of device stub0 is INIT, not ACTIVE: its subnet manager has yet to configure it"},
		"no permission":   {slices.Concat(device, []string{"STUB_FAIL=open_device:13"}), "no permission on /dev/infiniband/uverbs99"},
		"no library":      {[]string{"LD_LIBRARY_PATH=" + empty}, "libibverbs cannot be used: "},
	}
}

// unusable checks that a client refuses to measure, says why, and prints no row.
func (p *place) unusable(t *testing.T, says string) {
	t.Helper()
	for _, line := range clients {
		fields := strings.Fields(line)
		client := p.start(fields[0], fields[1:]...)
		client.ends(statusDevice, patience)
		client.says(append(tryEmbedded, says)...)
		if out := client.out.String(); out != "" {
			t.Errorf("%s printed %s", line, out)
		}
	}
}

// TestNothingStandsInForACard: without a usable RDMA device a client measures nothing, and says why
// and what else there is.
func TestNothingStandsInForACard(t *testing.T) {
	for name, c := range noDevice(t) {
		t.Run(name, func(t *testing.T) {
			p := newPlace(t, "out")
			p.env = c.env
			p.unusable(t, c.says)
		})
	}
	t.Run("no device", func(t *testing.T) {
		withoutDevices(t)
		newPlace(t, "out").unusable(t, "there is nothing in /sys/class/infiniband")
	})
}

// withoutDevices skips a test on hosts that have RDMA devices.
func withoutDevices(t *testing.T) {
	t.Helper()
	if list, _ := os.ReadDir("/sys/class/infiniband"); len(list) > 0 {
		t.Skip("this host has RDMA devices")
	}
}

// TestServersWithoutARDMADevice listen, serve embedded clients, and refuse others with the reason.
func TestServersWithoutARDMADevice(t *testing.T) {
	device := stub(t)
	for name, c := range noDevice(t) {
		t.Run(name, func(t *testing.T) {
			p := newPlace(t)
			for _, program := range []string{"ib_write_bw", "ib_conform"} {
				p.env = c.env
				server, port := p.serve(program)
				p.env = device
				client := p.connect(program, port, options(program, "-d stub0 --may-crash --run MR-24")...)
				client.ends(statusDevice, patience)
				server.ends(statusDevice, patience)
				for _, side := range []*process{client, server} {
					side.says("the client has the RDMA device stub0, and on the server no RDMA device is usable: ", c.says)
				}

				p.env = c.env
				server, port = p.serve(program)
				client = p.connect(program, port, options(program, "-d shm_block128 --run MR-24")...)
				client.ends(statusDone, patience)
				server.ends(statusDone, patience)
				server.says("device shm_block128 (software device: ", "the embedded device that the client has")
			}
		})
	}
}

// options splits options of ib_conform at blanks, and leaves those out that other programs do not have.
func options(program, conform string) []string {
	fields := strings.Fields(conform)
	if program != "ib_conform" {
		fields = fields[:2]
	}
	return fields
}

// TestCapsOfNoDevice: each backend has a line that says which devices it found, or why none.
func TestCapsOfNoDevice(t *testing.T) {
	const shm = "backend shm: shm_whole (software), shm_block128 (software), shm_unordered (software)\n"
	for name, c := range noDevice(t) {
		t.Run(name, func(t *testing.T) {
			p := newPlace(t)
			p.env = c.env
			caps := p.start("ib_caps")
			switch want := statusDone; name {
			case "no library":
				caps.ends(want, patience)
				caps.prints("backend ibv: none: " + c.says)
			case "no permission":
				caps.ends(statusDevice, patience)
				caps.prints("backend ibv: stub0")
				caps.prints("error: device stub0: ")
				caps.prints(c.says)
			default:
				caps.ends(want, patience)
				caps.prints("backend ibv: stub0")
			}
			caps.prints(shm)
			caps.prints("\ndevice shm_whole (backend shm)\n")
		})
	}
	t.Run("no device", func(t *testing.T) {
		withoutDevices(t)
		p := newPlace(t, "caps.json")
		caps := p.start("ib_caps", "--out_json_file", "caps.json")
		caps.ends(statusDone, patience)
		caps.prints("backend ibv: none: there is nothing in /sys/class/infiniband")
		caps.prints(shm)
		if data, err := os.ReadFile(filepath.Join(p.dir, "caps.json")); err != nil || !strings.Contains(string(data), `"none": "there is nothing in /sys/class/infiniband`) {
			t.Errorf("%s, %v", data, err)
		}
	})
	t.Run("named", func(t *testing.T) {
		caps := newPlace(t).start("ib_caps", "-d", "mlx5_0")
		caps.ends(statusDevice, patience)
		caps.says(`device "mlx5_0": no such RDMA device; there are: `)
	})
}

// TestBuiltWithoutCgo: such a program has embedded devices only, and tells how to build one that has others.
func TestBuiltWithoutCgo(t *testing.T) {
	dir := t.TempDir()
	build := exec.Command("go", "build", "-o", dir+"/", "./cmd/ib_write_bw", "./cmd/ib_caps")
	build.Dir, build.Env = filepath.Join("..", ".."), append(os.Environ(), "CGO_ENABLED=0")
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("go build: %v\n%s", err, out)
	}
	const why = "the program was built without cgo, through which libibverbs is called: build it with CGO_ENABLED=1"
	p := newPlace(t)
	client := p.start(filepath.Join(dir, "ib_write_bw"), "-w", "100", loopback)
	client.ends(statusDevice, patience)
	client.says(append(tryEmbedded, why)...)
	caps := p.start(filepath.Join(dir, "ib_caps"))
	caps.ends(statusDone, patience)
	caps.prints("backend ibv: none: " + why)
	program := filepath.Join(dir, "ib_write_bw")
	server, port := p.serve(program)
	p.connect(program, port, "-d", "shm_whole", "-n", "100").ends(statusDone, patience)
	server.ends(statusDone, patience)
}

// TestVariableNamesTheDevice: the environment names a client's device where -d does not, and a
// server's for clients that have no embedded one.
func TestVariableNamesTheDevice(t *testing.T) {
	const because = ": IBPERF_DEVICE names it"
	device := stub(t)
	for _, c := range []struct{ server, client, options, on, at string }{
		{"", "shm_block128", "", "shm_block128", "shm_block128"},
		{"", "shm_unordered:seed=7", "", "shm_unordered:seed=7", "shm_unordered:seed=7"},
		{"", "nothing", "-d shm_block128", "shm_block128", "shm_block128"},
		{"shm_whole", "", "-d shm_block128", "shm_block128", "shm_block128"},
		{"stub0", "", "-d shm_whole", "shm_whole", "shm_whole"},
		{"stub0", "stub0", "", "stub0", "stub0"},
		{"", "", "", "stub0", "stub0"},
	} {
		t.Run(c.server+","+c.client+","+c.options, func(t *testing.T) {
			p := newPlace(t)
			p.env = append(slices.Clone(device), "IBPERF_DEVICE="+c.server)
			server, port := p.serve("ib_send_bw")
			p.env = append(slices.Clone(device), "IBPERF_DEVICE="+c.client)
			client := p.connect("ib_send_bw", port, strings.Fields(c.options+" -n 100")...)
			client.ends(statusDone, patience)
			server.ends(statusDone, patience)
			client.prints(" Device          : " + c.on + "\n")
			server.prints(" Device          : " + c.at + "\n")
			if said := client.err.String(); strings.Contains(said, because) != (c.on == c.client) {
				t.Errorf("the client said %s", said)
			}
			if said := server.err.String(); strings.Contains(said, because) != (c.at == c.server) {
				t.Errorf("the server said %s", said)
			}
		})
	}
	t.Run("refused", func(t *testing.T) {
		p := newPlace(t)
		p.env = append(slices.Clone(device), "IBPERF_DEVICE=shm_whole")
		server, port := p.serve("ib_send_bw")
		client := p.connect("ib_send_bw", port, "-d", "stub0")
		client.ends(statusUsage, patience)
		server.ends(statusUsage, patience)
		client.says("the client has stub0, an RDMA device, and the server shm_whole", "IBPERF_DEVICE names the server's")
	})
	t.Run("wrong", func(t *testing.T) {
		p := newPlace(t, "out")
		p.env = []string{"IBPERF_DEVICE=nothing"}
		for _, line := range append(slices.Clone(clients), "ib_send_bw -p 0", "ib_compare -p 0", "ib_conform -p 0", "ib_caps") {
			fields := strings.Fields(line)
			side := p.start(fields[0], fields[1:]...)
			side.ends(statusDevice, patience)
			side.says(`IBPERF_DEVICE: device "nothing": no such RDMA device; there are: shm_whole`)
		}
	})
	t.Run("others", func(t *testing.T) {
		p := newPlace(t)
		p.env = []string{"IBPERF_DEVICE=shm_block128"}
		caps := p.start("ib_caps")
		caps.ends(statusDone, patience)
		caps.says("device shm_block128 (software device: ", because)
		if n := strings.Count(caps.out.String(), "device shm_"); n != 1 {
			t.Errorf("%d devices\n%s", n, caps.out)
		}
		conform := p.start("ib_conform", "--loopback", "--run", "CQ-1")
		conform.ends(statusDone, patience)
		conform.says("device shm_block128 (software device: ", because)
		conform.prints("device shm_block128 port 1")
	})
}
