package shm

import (
	"errors"
	"os"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// These tests play a peer that is broken or hostile, with the package's own
// types. Whatever it does, the process under test lives and goes on working.

func TestGarbagePackets(t *testing.T) {
	v := newVictim(t)
	null, err := os.Open(os.DevNull)
	check(t, err)
	defer null.Close()
	rights := unix.UnixRights(int(null.Fd()), int(null.Fd()), int(null.Fd()), int(null.Fd()), int(null.Fd()))
	packets := [][]byte{
		{}, {1}, make([]byte, 3), make([]byte, 5), make([]byte, 60000), encodeLook(v.qp.num), encodeLook(v.qp.num ^ 1<<20), encodeLook(0),
		encodeLook(^uint32(0)), encodeNote(0), encodeNote(1),
	}
	before := descriptorsOpen(t)
	for _, p := range packets {
		for _, oob := range [][]byte{nil, rights} {
			conn, _, err := dial(v.ctx.id)
			check(t, err)
			conn.WriteMsgUnix(p, oob, nil)
			conn.WriteMsgUnix(p, oob, nil)
			conn.Close()
		}
	}
	v.works(t)
	for end := time.Now().Add(10 * time.Second); descriptorsOpen(t) > before+20; time.Sleep(time.Millisecond) {
		if time.Now().After(end) {
			t.Fatalf("%d descriptors are open, before it were %d", descriptorsOpen(t), before)
		}
	}
}

func descriptorsOpen(t *testing.T) int {
	t.Helper()
	list, err := os.ReadDir("/proc/self/fd")
	check(t, err)
	return len(list)
}

// TestPeerThatDoesNotRead asks for looks all the time and reads nothing.
func TestPeerThatDoesNotRead(t *testing.T) {
	v := newVictim(t)
	conn, _, err := dial(v.ctx.id)
	check(t, err)
	defer conn.Close()
	conn.SetWriteDeadline(time.Now().Add(200 * time.Millisecond))
	for err == nil {
		_, err = conn.Write(encodeLook(v.qp.num))
	}
	start := time.Now()
	pd, err := v.ctx.AllocPD()
	check(t, err)
	check(t, pd.Close())
	if took := time.Since(start); took > time.Second/2 {
		t.Errorf("the context was held up for %v", took)
	}
	v.works(t)
}

// TestBadDirectory: a peer whose directory is none is not connected to.
func TestBadDirectory(t *testing.T) {
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
		"memory that can shrink": unsealed(t, directorySize, 0),
		"too little memory":      unsealed(t, 4096, unix.F_SEAL_SHRINK),
		"a file":                 int(plain.Fd()),
		"a pipe":                 pipe[0],
		"of another context":     unsealed(t, directorySize, unix.F_SEAL_SHRINK),
	}
	for name, fd := range directories {
		t.Run(name, func(t *testing.T) {
			v := newVictim(t)
			im := newImpostor(t, fd)
			if err := v.connect(im.endpoint()); !errors.Is(err, syscall.ETIMEDOUT) {
				t.Errorf("connecting said %v", err)
			}
			v.works(t)
		})
	}
}
