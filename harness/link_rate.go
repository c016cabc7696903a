package harness

import "github.com/ibperf/ibperf/verbs"

// linkWidths and linkSpeeds hold the widths of links (1x, 4x, ...) and the rate of a link of width 1x in Gb/s at each
// speed, by the codes of struct ibv_port_attr.
var (
	linkWidths = map[uint8]float64{1: 1, 2: 4, 4: 8, 8: 12, 16: 2}
	linkSpeeds = map[uint32]float64{1: 2.5, 2: 5, 4: 10, 8: 10, 16: 14, 32: 25, 64: 50, 128: 100, 256: 200}
)

// LinkRate returns the rate of a port in one direction, in bytes/s: its effective speed if the device tells it, else
// that of one link as sysfs has it, or 0 if a code is unknown. Ports of software devices have codes of no meaning.
func LinkRate(c verbs.Context, number int, port *verbs.PortAttr, software string) float64 {
	if software != "" {
		return 0
	}
	if q, ok := c.(verbs.PortSpeedQuerier); ok {
		if speed, err := q.QueryPortSpeed(number); err == nil && speed > 0 {
			return float64(speed) * 100e6 / 8
		}
	}
	return linkWidths[port.ActiveWidth] * linkSpeeds[port.ActiveSpeed] * 1e9 / 8
}
