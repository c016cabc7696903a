package setup

import "github.com/ibperf/ibperf/verbs"

// Vendor ids of devices that differ from others in what their QPs take.
const (
	nvidia     = 0x2c9  // mlx5
	amazon     = 0x1d0f // efa
	huawei     = 0x19e5 // hns
	yunsilicon = 0x1f67
)

// vendorOf returns the vendor id of a device, or 0 if it cannot be queried.
func vendorOf(c verbs.Context) uint32 {
	a, err := c.QueryDevice()
	if err != nil {
		return 0
	}
	return a.VendorID
}

// SignalsAll reports whether a device refuses requests that are not signaled: EFA devices do
// (efa_post_send_validate in providers/efa/verbs.c of rdma-core 65).
func SignalsAll(c verbs.Context) bool { return vendorOf(c) == amazon }
