package topology

import (
	"fmt"
	"io/fs"
	"os"
	"testing"
	"testing/fstest"

	"github.com/ibperf/ibperf/internal/testsysfs"
)

// twoSockets returns the files of a host with a card at each socket, of one with a subfunction on the second
// card, and of devices that are at no node: on a host without NUMA, and in software.
func twoSockets() fstest.MapFS {
	const (
		first  = "sys/devices/pci0000:00/0000:00:02.0/0000:01:00.0/"
		second = "sys/devices/pci0000:80/0000:80:02.0/0000:81:00.0/"
		third  = "sys/devices/pci0000:00/0000:00:05.0/"
	)
	root := fstest.MapFS{}
	for file, text := range map[string]string{
		first + "local_cpulist": "0-15,32-47", first + "numa_node": "0",
		second + "local_cpulist": "16-31,48-63", second + "numa_node": "1",
		third + "local_cpulist": "0-3", third + "numa_node": "-1",
		"sys/devices/pci0000:80/0000:80:02.0/local_cpulist": "16-31,48-63", "sys/devices/pci0000:80/0000:80:02.0/numa_node": "3",
		"sys/devices/virtual/infiniband/rxe0/node_desc": "rxe0",
	} {
		root[file] = &fstest.MapFile{Data: []byte(text + "\n")}
	}
	for name, at := range map[string]string{
		"mlx5_0": first + "infiniband/mlx5_0", "mlx5_1": second + "infiniband/mlx5_1",
		"mlx5_2": second + "mlx5_core.sf.2/infiniband/mlx5_2", "virtio0": third + "infiniband/virtio0",
		"rxe0": "sys/devices/virtual/infiniband/rxe0",
	} {
		root[at+"/fw_ver"] = &fstest.MapFile{Data: []byte("1\n")}
		root["sys/class/infiniband/"+name] = &fstest.MapFile{Data: []byte("../../" + at[len("sys/"):]), Mode: fs.ModeSymlink}
	}
	return root
}

// A device is at the node of its PCI device, also if it is a subfunction of that.
func TestWhereADeviceIs(t *testing.T) {
	root := twoSockets()
	for name, want := range map[string]Device{
		"mlx5_0":          {"0-15,32-47", 0},
		"mlx5_1":          {"16-31,48-63", 1},
		"mlx5_2":          {"16-31,48-63", 1},
		"virtio0":         {"0-3", Unknown},
		"rxe0":            {"", Unknown},
		"shm_whole":       {"", Unknown},
		"shm_liar:seed=7": {"", Unknown},
		"../mlx5_0":       {"", Unknown},
		"":                {"", Unknown},
	} {
		if got := DeviceOf(root, name); got != want {
			t.Errorf("%q is at %+v, want %+v", name, got, want)
		}
	}
}

// The links of sysfs are followed in a file system too.
func TestWhereADeviceIsOnDisk(t *testing.T) {
	dir := t.TempDir()
	testsysfs.Store(t, twoSockets(), dir)
	if got, want := DeviceOf(os.DirFS(dir), "mlx5_2"), (Device{"16-31,48-63", 1}); got != want {
		t.Errorf("the subfunction is at %+v, want %+v", got, want)
	}
}

func TestNodesOfCPUs(t *testing.T) {
	root := fstest.MapFS{}
	for cpu := range 8 {
		node := cpu / 4
		root[fmt.Sprintf("%s/node%d/cpulist", folder(cpu), node)] = &fstest.MapFile{}
		root[fmt.Sprintf("sys/devices/system/node/node%d/cpulist", node)] = &fstest.MapFile{}
	}
	root[folder(9)+"/topology/core_id"] = &fstest.MapFile{}
	for cpu, want := range map[int]int{0: 0, 3: 0, 4: 1, 7: 1, 9: Unknown, 12: Unknown, -1: Unknown} {
		if got := NodeOf(root, cpu); got != want {
			t.Errorf("CPU %d is on node %d, want %d", cpu, got, want)
		}
	}
	if n := Nodes(root); n != 2 {
		t.Errorf("%d nodes, want 2", n)
	}
	if n := Nodes(fstest.MapFS{}); n != 0 {
		t.Errorf("%d nodes without files", n)
	}
}

// The pages of all mappings that begin in the memory count, and no others.
func TestNodesOfMemory(t *testing.T) {
	root := fstest.MapFS{"proc/self/numa_maps": {Data: []byte(`00400000 default file=/bin/a mapped=3 N0=3 kernelpagesize_kB=4
7f0000000000 default file=/memfd:ibperf-buffer\040(deleted) dirty=100 active=0 N0=60 N1=40 kernelpagesize_kB=4
7f0000100000 bind:1 file=/memfd:ibperf-buffer\040(deleted) dirty=5 N1=5 kernelpagesize_kB=4
7f0000200000 default anon=7 dirty=7 N0=7 kernelpagesize_kB=4
nonsense N0=1

`)}}
	for _, c := range []struct {
		from, to uint64
		want     string
	}{
		{0x7f0000000000, 0x7f0000200000, "map[0:60 1:45]"},
		{0x7f0000200000, 0x7f0000200001, "map[0:7]"},
		{0x7f0000300000, 0x7f0000400000, "map[]"},
	} {
		if got := fmt.Sprint(MemoryNodes(root, c.from, c.to)); got != c.want {
			t.Errorf("%#x to %#x: pages %s, want %s", c.from, c.to, got, c.want)
		}
	}
	if got := MemoryNodes(fstest.MapFS{}, 0, 1<<63); len(got) != 0 {
		t.Errorf("pages without the file: %v", got)
	}
}

// numa_maps of this machine has the memory that this process has accessed.
func TestMemoryOfThisProcess(t *testing.T) {
	root := os.DirFS("/")
	if _, err := fs.Stat(root, "proc/self/numa_maps"); err != nil {
		t.Skip(err)
	}
	pages := 0
	for _, n := range MemoryNodes(root, 0, 1<<63) {
		pages += n
	}
	if pages == 0 {
		t.Error("this process has no pages")
	}
}
