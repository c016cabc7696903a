package reports

import "github.com/ibperf/ibperf/reports/result"

// naming tells in what runs differ that the names of tests have to tell apart.
type naming struct{ devices, transports bool }

func namingOf(runs []*result.File) naming {
	var devices, transports []string
	for _, f := range runs {
		devices = addNew(devices, devicesOf(f))
		transports = addNew(transports, f.Parameters.Transport)
	}
	return naming{len(devices) > 1, len(transports) > 1}
}

// of is what follows the name of a run's test: " over UC on mlx5_0".
func (n naming) of(f *result.File) string {
	text := n.transport(f)
	if n.devices {
		text += " on " + devicesOf(f)
	}
	return text
}

// transport is the part of it that a promise has, which is of one device.
func (n naming) transport(f *result.File) string {
	if n.transports {
		return " over " + Clean(f.Parameters.Transport)
	}
	return ""
}

// devicesOf names the devices of a run, one if both sides have the same.
func devicesOf(f *result.File) string {
	return joined(addNew([]string{Clean(f.Local.Device.Name)}, Clean(f.Peer.Device.Name)))
}
