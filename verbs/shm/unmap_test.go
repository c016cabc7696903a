package shm_test

import (
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/ibperf/ibperf/verbs"
	"github.com/ibperf/ibperf/verbs/verbstest/fixture"
)

// TestDeregisteredMemoryIsUnmapped covers that peers unmap a buffer when its last region is closed,
// with or without further requests, and map it again for a later region.
func TestDeregisteredMemoryIsUnmapped(t *testing.T) {
	const n = 20
	a, b := pair(t, conf())
	for range n {
		buf := must(verbs.NewBuffer(pageSize))(t)
		name := mapsKey(t, buf)
		for range 2 {
			mr := must(b.PD.RegMR(buf.Bytes(), allRights))(t)
			t.Cleanup(func() { noError(t, mr.Close()) })
			other := must(b.PD.RegMR(buf.Bytes()[64:], allRights))(t)
			t.Cleanup(func() { noError(t, other.Close()) })
			for _, m := range []verbs.MR{mr, other} {
				w := a.request64(verbs.OpRDMAWrite, b)
				w.RemoteAddr, w.RKey = m.Addr(), m.RKey()
				fixture.Eventually(t, name+" mapped by the peer", func() bool { // again, since all memory is remapped if b's device has only just accepted a's connection
					a.Post(w)
					a.SendCQ.Expect(1, verbs.WCSuccess)
					return len(mapsLines(t, name)) == 2
				})
				noError(t, m.Close())
			}
			wantMapped(t, name, 1)
		}
		noError(t, buf.Close())
		wantMapped(t, name, 0)
	}
	a.useAllOps(t, b)
}

// wantMapped waits until the file is mapped n times in this process.
func wantMapped(t *testing.T, name string, n int) {
	t.Helper()
	fixture.Eventually(t, fmt.Sprintf("%s mapped %d times", name, n), func() bool { return len(mapsLines(t, name)) == n })
}

// mapsLines returns the lines of /proc/self/maps that contain the name.
func mapsLines(t *testing.T, name string) (lines []string) {
	t.Helper()
	for line := range strings.Lines(string(must(os.ReadFile("/proc/self/maps"))(t))) {
		if strings.Contains(line, name) {
			lines = append(lines, line)
		}
	}
	return lines
}

// mapsKey returns the part of the buffer's line in /proc/self/maps that identifies its file: device
// and inode.
func mapsKey(t *testing.T, buf *verbs.Buffer) string {
	t.Helper()
	begins := fmt.Sprintf("%08x-", buf.Addr())
	for line := range strings.Lines(string(must(os.ReadFile("/proc/self/maps"))(t))) {
		if f := strings.Fields(line); strings.HasPrefix(line, begins) {
			return " " + f[3] + " " + f[4] + " "
		}
	}
	t.Fatalf("no mapping begins with %s", begins)
	return ""
}
