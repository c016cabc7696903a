package harness

import (
	"errors"
	"testing"

	"github.com/ibperf/ibperf/verbs"
)

func TestLinkRate(t *testing.T) {
	for _, c := range []struct {
		width    uint8
		speed    uint32
		software string
		gbps     float64
	}{
		{2, 1, "", 10}, {2, 16, "", 56}, {2, 32, "", 100}, {1, 32, "", 25}, {2, 64, "", 200}, {2, 128, "", 400}, {2, 256, "", 800},
		{16, 64, "", 100}, {8, 32, "", 300}, {2, 64, "in software", 0}, {3, 64, "", 0}, {2, 3, "", 0},
	} {
		port := verbs.PortAttr{ActiveWidth: c.width, ActiveSpeed: c.speed}
		if got := LinkRate(nil, 1, &port, c.software); got*8/1e9 != c.gbps {
			t.Errorf("width %d, speed %d, software %q: %v bytes/s, want %v Gb/s", c.width, c.speed, c.software, got, c.gbps)
		}
	}
}

// speedContext tells the effective speed of port 2 alone.
type speedContext struct {
	verbs.Context
	speed uint64
}

func (c speedContext) QueryPortSpeed(port int) (uint64, error) {
	if port != 2 {
		return 0, errors.New("unknown")
	}
	return c.speed, nil
}

// TestEffectiveLinkRate: the speed of a port of two links is that of both, if the device tells it.
func TestEffectiveLinkRate(t *testing.T) {
	oneLink := verbs.PortAttr{ActiveWidth: 2, ActiveSpeed: 32}
	for _, c := range []struct {
		port     int
		speed    uint64
		software string
		gbps     float64
	}{{2, 2000, "", 200}, {1, 2000, "", 100}, {2, 0, "", 100}, {2, 2000, "in software", 0}} {
		if got := LinkRate(speedContext{speed: c.speed}, c.port, &oneLink, c.software); got*8/1e9 != c.gbps {
			t.Errorf("port %d, speed %d, software %q: %v bytes/s, want %v Gb/s", c.port, c.speed, c.software, got, c.gbps)
		}
	}
}
