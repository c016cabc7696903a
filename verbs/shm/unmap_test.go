package shm_test

import (
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/ibperf/ibperf/verbs"
)

// TestClosedMemoryIsUnmapped: when the last region on a buffer has been closed, its
// peers let go of the memory, whether or not they go on to post, and use what is
// registered on the same buffer later.
func TestClosedMemoryIsUnmapped(t *testing.T) {
	const n = 20
	a, b := pair(t, conf())
	for range n {
		buf := must(verbs.NewBuffer(pageSize))(t)
		name := mappedName(t, buf)
		for range 2 {
			mr := must(b.pd.RegMR(buf.Bytes(), allRights))(t)
			t.Cleanup(func() { noError(t, mr.Close()) })
			other := must(b.pd.RegMR(buf.Bytes()[64:], allRights))(t)
			t.Cleanup(func() { noError(t, other.Close()) })
			for _, m := range []verbs.MR{mr, other} {
				w := a.small(verbs.OpRDMAWrite, b)
				w.raddr, w.rkey = m.Addr(), m.RKey()
				eventually(t, name+" mapped by the peer", func() bool { // again, if b's device has only now met a's: then all is mapped anew
					a.mustPost(t, w)
					pollOne(t, a.sendCQ, 1, verbs.WCSuccess)
					return len(mappings(t, name)) == 2
				})
				noError(t, m.Close())
			}
			wantMaps(t, name, 1)
		}
		noError(t, buf.Close())
		wantMaps(t, name, 0)
	}
	a.warm(t, b)
}

// wantMaps waits until the file is mapped n times in this process.
func wantMaps(t *testing.T, name string, n int) {
	t.Helper()
	eventually(t, fmt.Sprintf("%s mapped %d times", name, n), func() bool { return len(mappings(t, name)) == n })
}

// mappings are the lines of this process's map that end in the name.
func mappings(t *testing.T, name string) (lines []string) {
	t.Helper()
	for line := range strings.Lines(string(must(os.ReadFile("/proc/self/maps"))(t))) {
		if strings.Contains(line, name) {
			lines = append(lines, line)
		}
	}
	return lines
}

// mappedName is what the map of this process says of the file that the buffer lies in:
// device, inode and name.
func mappedName(t *testing.T, buf *verbs.Buffer) string {
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
