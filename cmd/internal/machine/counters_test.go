package machine

import (
	"errors"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/ibperf/ibperf/harness"
)

func TestPortCounters(t *testing.T) {
	const folder = "sys/class/infiniband/mlx5_0/ports/2/"
	root := fstest.MapFS{
		folder + "counters/port_xmit_data":    {Data: []byte("17\n")},
		folder + "counters/odd":               {Data: []byte("N/A\n")},
		folder + "hw_counters/out_of_buffer":  {Data: []byte("5\n")},
		folder + "hw_counters/port_xmit_data": {Data: []byte("18\n")},
	}
	all, err := PortCounters(root, "mlx5_0", 2, []string{"port_xmit_data", "out_of_buffer", "hw_counters/port_xmit_data", "counters/odd"})
	if err != nil || len(all) != 4 {
		t.Fatal(all, err)
	}
	for i, want := range []uint64{17, 5, 18} {
		if n, err := all[i].Read(); n != want || err != nil {
			t.Errorf("%s is %d, %v, want %d", all[i].Name, n, err, want)
		}
	}
	if n, err := all[3].Read(); err == nil {
		t.Errorf("N/A is %d", n)
	}
	root[folder+"counters/port_xmit_data"].Data = []byte("40\n")
	if n, _ := all[0].Read(); n != 40 {
		t.Errorf("a counter that has grown to 40 is %d", n)
	}
	for _, c := range []struct{ device, name, want string }{
		{"mlx5_0", "none", "no counter none in /sys/class/infiniband/mlx5_0/ports/2/counters or hw_counters"},
		{"shm_whole", "port_xmit_data", "only RDMA devices of the kernel have counters"},
	} {
		if _, err := PortCounters(root, c.device, 2, []string{c.name}); err == nil || !strings.Contains(err.Error(), c.want) || !errors.As(err, new(*harness.DeviceError)) {
			t.Errorf("%s of %s: %v, want %q", c.name, c.device, err, c.want)
		}
	}
	want := []string{"counters/port_xmit_data", "hw_counters/out_of_buffer", "hw_counters/port_xmit_data"}
	if names := CounterNames(root, "mlx5_0", 2); !slices.Equal(names, want) {
		t.Errorf("the counters that can be read are %q, want %q", names, want)
	}
	if names := CounterNames(root, "shm_whole", 2); len(names) > 0 {
		t.Errorf("an embedded device has the counters %q", names)
	}
	if all, err := PortCounters(root, "shm_whole", 1, nil); all != nil || err != nil {
		t.Error(all, err)
	}
}
