package shm

import (
	"fmt"
	"os"
	"sync/atomic"

	"golang.org/x/sys/unix"

	"github.com/ibperf/ibperf/internal/memfd"
)

// bell is how a CQ's channel is rung: a word in shared memory that says whether
// the CQ is armed, and the channel's eventfd. Whoever adds a completion, in
// this process or a peer's, rings it.
type bell struct {
	file    *memfd.File // nil for a peer's bell
	word    *uint64
	eventFD int
}

func newBell(eventFD int) (*bell, error) {
	f, err := memfd.New("ibperf-bell", eventPage)
	if err != nil {
		return nil, err
	}
	return &bell{file: f, word: &view[eventWord](f.Bytes(), 0).word, eventFD: eventFD}, nil
}

// arm asks for one event; the stronger of two arms wins.
func (b *bell) arm(solicitedOnly bool) {
	want := uint64(armAny)
	if solicitedOnly {
		want = armSolicited
	}
	for {
		w := atomic.LoadUint64(b.word)
		if w&armMask == armAny || w&armMask == want {
			return
		}
		if atomic.CompareAndSwapUint64(b.word, w, w&^armMask|want) {
			return
		}
	}
}

// armed tells whether somebody may sleep for the bell.
func (b *bell) armed() bool { return b != nil && atomic.LoadUint64(b.word)&armMask != armNone }

// ring delivers the event if the CQ is armed. The completion must be visible
// before: the caller stores it with a full fence, so that either the owner's
// look after arming sees the completion or this look sees the arm.
func (b *bell) ring(solicited bool) {
	for {
		w := atomic.LoadUint64(b.word)
		if a := w & armMask; a == armNone || a == armSolicited && !solicited {
			return
		}
		if atomic.CompareAndSwapUint64(b.word, w, w&^armMask+eventOne) {
			break
		}
	}
	signal(b.eventFD)
}

// events returns how often the bell was rung.
func (b *bell) events() uint64 { return atomic.LoadUint64(b.word) / eventOne }

// bell returns the peer's bell with the id, made of the descriptors that came
// with a QP; what is already known is not mapped again.
func (r *remote) bell(id uint32, wordFD, eventFD int) (*bell, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if known := r.bells[id]; known != nil || r.bells == nil {
		unix.Close(wordFD)
		unix.Close(eventFD)
		return known, nil
	}
	m, err := r.mapFD(wordFD, eventPage, unix.PROT_READ|unix.PROT_WRITE)
	if err == nil && !isEventFD(eventFD) {
		unix.Munmap(m)
		err = errPeer
	}
	if err != nil {
		unix.Close(eventFD)
		return nil, err
	}
	r.maps = append(r.maps, m)
	b := &bell{word: &view[eventWord](m, 0).word, eventFD: eventFD}
	r.bells[id] = b
	return b, nil
}

// isEventFD tells whether a descriptor that a peer sent is what it should be:
// ringing must not block, as writing to a full pipe would.
func isEventFD(fd int) bool {
	kind, err := os.Readlink(fmt.Sprintf("/proc/self/fd/%d", fd))
	return err == nil && kind == "anon_inode:[eventfd]"
}
