package e2e

import (
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/ibperf/ibperf/test/stub"
)

// tryEmbedded holds the texts of a program that found no usable RDMA device.
var tryEmbedded = []string{"no RDMA device is usable: ", "-d shm_whole", "IBPERF_DEVICE=shm_whole"}

// clients are command lines, one of each kind, that name no device.
var clients = []string{
	"ib_write_bw -w 100 " + loopback, "ib_send_lat --format json " + loopback, "ib_compare --dir out " + loopback,
	"ib_conform --loopback --may-crash", "ib_conform --may-crash " + loopback,
}

// noDevice returns environments in which a program has no usable RDMA device, with the reason that it
// gives.
func noDevice(t *testing.T) map[string]struct {
	env  []string
	says string
} {
	t.Helper()
	empty := t.TempDir() // its libibverbs.so.1 is an empty file
	if err := os.WriteFile(filepath.Join(empty, "libibverbs.so.1"), nil, 0o666); err != nil {
		t.Fatal(err)
	}
	device := stub.Env(t)
	return map[string]struct {
		env  []string
		says string
	}{
		"port down":       {slices.Concat(device, []string{"STUB_STATE=1"}), "port 1 of device stub0 is DOWN, not ACTIVE: check its cable, and set its network interface up"},
		"port not set up": {slices.Concat(device, []string{"STUB_STATE=2", "STUB_LINK=1"}), "port 1 of device stub0 is INIT, not ACTIVE: the subnet manager has not configured it yet"},
		"no permission":   {slices.Concat(device, []string{"STUB_FAIL=open_device:13"}), "no permission on /dev/infiniband/uverbs99"},
		"no library":      {[]string{"LD_LIBRARY_PATH=" + empty}, "libibverbs cannot be used: "},
	}
}

// wantNoDevice checks that clients refuse to measure, give the reason, and print no row.
func (w *workspace) wantNoDevice(t *testing.T, says string) {
	t.Helper()
	for _, line := range clients {
		fields := strings.Fields(line)
		client := w.start(fields[0], fields[1:]...)
		client.exits(statusDevice, patience)
		client.wantStderr(append(tryEmbedded, says)...)
		if out := client.out.String(); out != "" {
			t.Errorf("%s printed to stdout: %s", line, out)
		}
	}
}

// TestClientsWithoutAnRDMADevice measure nothing: they give the reason and name the embedded device.
func TestClientsWithoutAnRDMADevice(t *testing.T) {
	for name, c := range noDevice(t) {
		t.Run(name, func(t *testing.T) {
			w := newWorkspace(t, "out")
			w.env = c.env
			w.wantNoDevice(t, c.says)
		})
	}
	t.Run("no device", func(t *testing.T) {
		withoutDevices(t)
		newWorkspace(t, "out").wantNoDevice(t, "there is nothing in /sys/class/infiniband")
	})
}

// withoutDevices skips a test on hosts that have RDMA devices.
func withoutDevices(t *testing.T) {
	t.Helper()
	if list, _ := os.ReadDir("/sys/class/infiniband"); len(list) > 0 {
		t.Skip("this host has RDMA devices")
	}
}

// TestServersWithoutAnRDMADevice serve clients with an embedded device, and refuse others with the
// reason.
func TestServersWithoutAnRDMADevice(t *testing.T) {
	device := stub.Env(t)
	for name, c := range noDevice(t) {
		t.Run(name, func(t *testing.T) {
			w := newWorkspace(t)
			for _, program := range []string{"ib_write_bw", "ib_conform"} {
				w.env = c.env
				server, port := w.serve(program)
				w.env = device
				client := w.connect(program, port, options(program, "-d stub0 --may-crash --run MR-24")...)
				client.exits(statusDevice, patience)
				server.exits(statusDevice, patience)
				for _, side := range []*process{client, server} {
					side.wantStderr("the client has the RDMA device stub0, and on the server no RDMA device is usable: ", c.says)
				}

				w.env = c.env
				server, port = w.serve(program)
				client = w.connect(program, port, options(program, "-d shm_block128 --run MR-24")...)
				client.exits(statusDone, patience)
				server.exits(statusDone, patience)
				if text := server.out.String() + server.err.String(); !strings.Contains(text, "the client's embedded device") {
					t.Errorf("%s does not say why the device was chosen\n%s", server.name, server.output())
				}
			}
		})
	}
}

// options splits options of ib_conform at blanks, and returns the first two for other programs.
func options(program, conform string) []string {
	fields := strings.Fields(conform)
	if program != "ib_conform" {
		fields = fields[:2]
	}
	return fields
}

// TestCapsOfNoDevice: ib_caps prints a line for each backend, with its devices or the reason why it
// has none.
func TestCapsOfNoDevice(t *testing.T) {
	const shm = "backend shm: shm_whole (software), shm_block128 (software), shm_unordered (software)\n"
	for name, c := range noDevice(t) {
		t.Run(name, func(t *testing.T) {
			w := newWorkspace(t)
			w.env = c.env
			caps := w.start("ib_caps")
			switch want := statusDone; name {
			case "no library":
				caps.exits(want, patience)
				caps.wantStdout("backend ibv: none: " + c.says)
			case "no permission":
				caps.exits(statusDevice, patience)
				caps.wantStdout("backend ibv: stub0")
				caps.wantStdout("error: device stub0: ")
				caps.wantStdout(c.says)
			default:
				caps.exits(want, patience)
				caps.wantStdout("backend ibv: stub0")
			}
			caps.wantStdout(shm)
			caps.wantStdout("\ndevice shm_whole (backend shm)\n")
		})
	}
	t.Run("no device", func(t *testing.T) {
		withoutDevices(t)
		w := newWorkspace(t, "caps.json")
		caps := w.start("ib_caps", "--out_json_file", "caps.json")
		caps.exits(statusDone, patience)
		caps.wantStdout("backend ibv: none: there is nothing in /sys/class/infiniband")
		caps.wantStdout(shm)
		if data, err := os.ReadFile(filepath.Join(w.dir, "caps.json")); err != nil || !strings.Contains(string(data), `"none": "there is nothing in /sys/class/infiniband`) {
			t.Errorf("caps.json: %s, error %v", data, err)
		}
	})
	t.Run("named", func(t *testing.T) {
		caps := newWorkspace(t).start("ib_caps", "-d", "mlx5_0")
		caps.exits(statusDevice, patience)
		caps.wantStderr(`device "mlx5_0": no such RDMA device; there are: `)
	})
}

// TestBuiltWithoutCgo: a program without cgo has embedded devices only, and says how to build one with
// RDMA devices.
func TestBuiltWithoutCgo(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	build := exec.Command("go", "build", "-o", dir+"/", "./cmd/ib_write_bw", "./cmd/ib_caps")
	build.Dir, build.Env = filepath.Join("..", ".."), append(os.Environ(), "CGO_ENABLED=0")
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("go build: %v\n%s", err, out)
	}
	const why = "the program was built without cgo, through which libibverbs is called: build it with CGO_ENABLED=1"
	w := newWorkspace(t)
	client := w.start(filepath.Join(dir, "ib_write_bw"), "-w", "100", loopback)
	client.exits(statusDevice, patience)
	client.wantStderr(append(tryEmbedded, why)...)
	caps := w.start(filepath.Join(dir, "ib_caps"))
	caps.exits(statusDone, patience)
	caps.wantStdout("backend ibv: none: " + why)
	program := filepath.Join(dir, "ib_write_bw")
	server, port := w.serve(program)
	w.connect(program, port, "-d", "shm_whole", "-n", "100").exits(statusDone, patience)
	server.exits(statusDone, patience)
}

// TestDevicesWithoutRDMACM: --rdma_cm with a device that has none ends both sides with status 3,
// whichever reports it first.
func TestDevicesWithoutRDMACM(t *testing.T) {
	w := newWorkspace(t)
	server, client := w.runPair(statusDevice, "ib_write_bw", "", "-d shm_whole -R")
	for _, side := range []*process{server, client} {
		side.wantStderr("device shm_whole has no rdma_cm")
	}
}

// TestVariableNamesTheDevice: IBPERF_DEVICE names a client's device unless -d does, and a server's for
// clients with an RDMA device.
func TestVariableNamesTheDevice(t *testing.T) {
	const because = ": IBPERF_DEVICE names it"
	device := stub.Env(t)
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
			w := newWorkspace(t)
			w.env = append(slices.Clone(device), "IBPERF_DEVICE="+c.server)
			server, port := w.serve("ib_send_bw")
			w.env = append(slices.Clone(device), "IBPERF_DEVICE="+c.client)
			client := w.connect("ib_send_bw", port, strings.Fields(c.options+" -n 100")...)
			client.exits(statusDone, patience)
			server.exits(statusDone, patience)
			client.wantStdout(" Device          : " + c.on + "\n")
			server.wantStdout(" Device          : " + c.at + "\n")
			if said := client.out.String(); strings.Contains(said, because) != (c.on == c.client) {
				t.Errorf("the client printed %s", said)
			}
			if said := server.out.String(); strings.Contains(said, because) != (c.at == c.server) {
				t.Errorf("the server printed %s", said)
			}
		})
	}
	t.Run("refused", func(t *testing.T) {
		w := newWorkspace(t)
		w.env = append(slices.Clone(device), "IBPERF_DEVICE=shm_whole")
		server, port := w.serve("ib_send_bw")
		client := w.connect("ib_send_bw", port, "-d", "stub0")
		client.exits(statusUsage, patience)
		server.exits(statusUsage, patience)
		client.wantStderr("the client has stub0, an RDMA device, and the server shm_whole", "IBPERF_DEVICE names the server's")
	})
	t.Run("wrong", func(t *testing.T) {
		w := newWorkspace(t, "out")
		w.env = []string{"IBPERF_DEVICE=nothing"}
		for _, line := range append(slices.Clone(clients), "ib_send_bw -p 0", "ib_compare -p 0", "ib_conform -p 0", "ib_caps") {
			fields := strings.Fields(line)
			side := w.start(fields[0], fields[1:]...)
			side.exits(statusDevice, patience)
			side.wantStderr(`IBPERF_DEVICE: device "nothing": no such RDMA device; there are: shm_whole`)
		}
	})
	t.Run("others", func(t *testing.T) {
		w := newWorkspace(t)
		w.env = []string{"IBPERF_DEVICE=shm_block128"}
		caps := w.start("ib_caps")
		caps.exits(statusDone, patience)
		caps.wantStderr("device shm_block128 (software device: ", because)
		if n := strings.Count(caps.out.String(), "device shm_"); n != 1 {
			t.Errorf("ib_caps printed %d devices, want 1\n%s", n, caps.out)
		}
		conform := w.start("ib_conform", "--loopback", "--run", "CQ-1")
		conform.exits(statusDone, patience)
		conform.wantStderr("device shm_block128 (software device: ", because)
		conform.wantStdout("device shm_block128 port 1")
	})
}
