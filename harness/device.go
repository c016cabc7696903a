package harness

import (
	"github.com/ibperf/ibperf/result"
	"github.com/ibperf/ibperf/verbs"
)

// DescribeDevice returns an opened device and one of its ports for files. It leaves out the GID.
func DescribeDevice(c verbs.Context, number int, port *verbs.PortAttr) result.Device {
	dev := c.Device()
	d := result.Device{
		Name: dev.Name(), Backend: dev.Backend(), Software: dev.Software(),
		Port: number, LinkLayer: port.LinkLayer.String(), LinkRate: LinkRate(c, number, port, dev.Software()),
		ActiveMTU: port.ActiveMTU.Bytes(), MaxMTU: port.MaxMTU.Bytes(),
	}
	if l, ok := c.(verbs.LibraryCaller); ok {
		d.CallPath = l.CallPath()
	}
	if a, err := c.QueryDevice(); err == nil {
		d.Firmware = a.FirmwareVersion
	}
	return d
}
