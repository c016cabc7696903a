package shm

import (
	"errors"
	"os"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"github.com/ibperf/ibperf/internal/testclock"
)

// These tests play a broken or hostile peer with the package's own types. Whatever it does, the
// process under test must keep working.

func TestGarbagePacketsOnSocket(t *testing.T) {
	v := newNode(t)
	null, err := os.Open(os.DevNull)
	check(t, err)
	defer null.Close()
	rights := unix.UnixRights(int(null.Fd()), int(null.Fd()), int(null.Fd()), int(null.Fd()), int(null.Fd()))
	packets := [][]byte{
		{}, {1}, make([]byte, 3), make([]byte, 5), make([]byte, 60000), encodeDoorbell(v.qp.num), encodeDoorbell(v.qp.num ^ 1<<20), encodeDoorbell(0),
		encodeDoorbell(^uint32(0)), encodeUnmapNotice(0), encodeUnmapNotice(1),
	}
	before := countDescriptors(t)
	for _, p := range packets {
		for _, oob := range [][]byte{nil, rights} {
			conn, _, err := dial(v.ctx.id)
			check(t, err)
			conn.WriteMsgUnix(p, oob, nil)
			conn.WriteMsgUnix(p, oob, nil)
			conn.Close()
		}
	}
	v.checkWorks(t)
	for end := time.Now().Add(10 * time.Second); countDescriptors(t) > before+20; time.Sleep(time.Millisecond) {
		if time.Now().After(end) {
			t.Fatalf("%d descriptors are open, %d were open before", countDescriptors(t), before)
		}
	}
}

func countDescriptors(t *testing.T) int {
	t.Helper()
	list, err := os.ReadDir("/proc/self/fd")
	check(t, err)
	return len(list)
}

// TestDoorbellFlood covers a peer that rings the doorbell continuously and reads nothing.
func TestDoorbellFlood(t *testing.T) {
	v := newNode(t)
	conn, _, err := dial(v.ctx.id)
	check(t, err)
	defer conn.Close()
	conn.SetWriteDeadline(time.Now().Add(200 * time.Millisecond))
	for err == nil {
		_, err = conn.Write(encodeDoorbell(v.qp.num))
	}
	start := testclock.Start()
	pd, err := v.ctx.AllocPD()
	check(t, err)
	check(t, pd.Close())
	if took := start.Took(); took > time.Second/2 {
		t.Errorf("AllocPD and Close took %v", took)
	}
	v.checkWorks(t)
}

// TestInvalidDirectory covers that a peer with an invalid directory cannot be connected to.
func TestInvalidDirectory(t *testing.T) {
	t.Parallel()
	plain, err := os.CreateTemp(t.TempDir(), "")
	check(t, err)
	defer plain.Close()
	check(t, plain.Truncate(int64(directorySize)))
	var pipe [2]int
	check(t, unix.Pipe2(pipe[:], unix.O_CLOEXEC))
	defer unix.Close(pipe[0])
	defer unix.Close(pipe[1])
	directories := map[string]int{
		"no descriptor":          maxFD - 1,
		"memory that can shrink": newMemfd(t, directorySize, 0),
		"too little memory":      newMemfd(t, 4096, unix.F_SEAL_SHRINK),
		"a file":                 int(plain.Fd()),
		"a pipe":                 pipe[0],
		"of another context":     newMemfd(t, directorySize, unix.F_SEAL_SHRINK),
	}
	for name, fd := range directories {
		t.Run(name, func(t *testing.T) {
			v := newNode(t)
			im := newFakeContext(t, fd)
			if err := v.connect(im.endpoint()); !errors.Is(err, syscall.ETIMEDOUT) {
				t.Errorf("connecting: %v, want ETIMEDOUT", err)
			}
			v.checkWorks(t)
		})
	}
}
