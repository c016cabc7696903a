package testresult

import "github.com/ibperf/ibperf/result"

// Devices makes a file one of two devices of each side: each row becomes the sum of two equal ones, with half of the rate each.
func Devices(f *result.File) *result.File {
	for _, side := range []*result.Side{&f.Local, &f.Peer} {
		side.Device.Name, side.Device.Port = "mlx5_0", 1
		second := side.Device
		second.Name = "mlx5_1"
		side.More = []result.MoreDevice{{Device: second}}
	}
	f.Parameters.Devices = 2
	for i := range f.Rows {
		r := &f.Rows[i]
		one := *r
		if b := r.Bandwidth; b != nil {
			half := *b
			half.Messages, half.Bytes = b.Messages/2, b.Bytes/2
			half.Average, half.MsgRate, half.Peak = b.Average/2, b.MsgRate/2, b.Peak/2
			one.Bandwidth = &half
		}
		r.Devices = []result.DeviceRow{result.DeviceRowOf(&one), result.DeviceRowOf(&one)}
	}
	return f
}
