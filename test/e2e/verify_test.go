package e2e

import (
	"fmt"
	"os"
	"regexp"
	"testing"
)

// checkFailed is what both sides print of messages that were not as sent: torn, or
// stale where all but the marker of a short message was still to come.
var checkFailed = regexp.MustCompile(`Data check FAILED: \d+ messages checked, torn (\d+, stale [1-9]|[1-9])`)

// torn runs a pair with every byte checked until wrong data is found. Nearly
// every message is torn, but a busy machine may make both sides share a core, so
// that they never look at a message in the making: the second run is longer.
func (p *place) torn(program, options string, size int) {
	p.t.Helper()
	for _, messages := range []int{2000, 4000, 20_000, 40_000} {
		if size > 4096 {
			messages /= 10
		}
		server, client := p.both(program, "", fmt.Sprintf("%s --completion data --verify -s %d -n %d", options, size, messages))
		status := client.within(patience)
		if status == statusDone {
			server.ends(statusDone, patience)
			continue
		}
		client.ends(statusData, patience)
		server.ends(statusData, patience)
		for _, side := range []*process{client, server} {
			side.says("wrong data: ", fmt.Sprintf("%d bytes, mode data: ", size), " torn, ", "(first: on ")
			if !checkFailed.MatchString(side.out.String()) {
				p.t.Fatalf("%s printed no summary of the check\n%s", side.name, side.said())
			}
		}
		return
	}
	p.t.Fatalf("%s %s found nothing wrong at %d bytes", program, options, size)
}

// TestWrongDataIsFound: polling memory on a device that shuffles is caught, also
// where the device claims that it does not.
func TestWrongDataIsFound(t *testing.T) {
	each(t, func(t *testing.T, program string) {
		p := newPlace(t)
		p.torn(program, "-d shm_unordered --force-data", 4096)
		p.torn(program, "-d shm_liar", 4096)
	})
	t.Run("sizes", func(t *testing.T) {
		p := newPlace(t)
		for _, size := range []int{129, 65536} {
			p.torn("ib_write_lat", "-d shm_unordered --force-data", size)
			p.torn("ib_write_lat", "-d shm_liar", size)
		}
	})
}

// TestCompletionsAreRightOnALiar: only looking at memory is fooled.
func TestCompletionsAreRightOnALiar(t *testing.T) {
	each(t, func(t *testing.T, program string) {
		p := newPlace(t)
		p.run(statusDone, program, "", "-d shm_liar --completion poll --verify -s 4096 -n 2000")
	})
}

// TestPromisesAreKept: what the devices promise about order holds.
func TestPromisesAreKept(t *testing.T) {
	each(t, func(t *testing.T, program string) {
		for _, device := range []string{"shm_whole", "shm_block128"} {
			p := newPlace(t)
			for _, size := range []int{8, 128, 129, 4096} {
				p.run(statusDone, program, "", fmt.Sprintf("-d %s --completion data --verify -s %d -n 20000", device, size))
			}
			p.run(statusDone, program, "", fmt.Sprintf("-d %s --completion data --verify -s 65536 -n 2000", device))
		}
	})
}

// TestPromisesAreKeptForLong is the same with a million messages of each size.
func TestPromisesAreKeptForLong(t *testing.T) {
	if os.Getenv("IBPERF_LONG") == "" {
		t.Skip("takes long; set IBPERF_LONG=1, and -timeout 2h")
	}
	each(t, func(t *testing.T, program string) {
		for _, device := range []string{"shm_whole", "shm_block128"} {
			p := newPlace(t)
			for _, size := range []int{8, 128, 129, 4096, 65536} {
				server, client := p.both(program, "", fmt.Sprintf("-d %s --completion data --verify -s %d -n 1000000", device, size))
				client.ends(statusDone, 10*patience)
				server.ends(statusDone, patience)
			}
		}
	})
}
