package harness

import "sync/atomic"

// probePattern is no message: the peer's memory holds zeros when it is probed.
const probePattern = 0xa5a5a5a5a5a5a5a5

// probeReads finds out whether READs, or atomic operations, are done when their post returns, as they are on a
// device that carries them out in the calling thread: it posts one and looks at memory at
// once. Both sides are in RTS, and nothing was measured yet.
func (s *session) probeReads() error {
	scheme := s.scheme(0, 0)
	if !scheme.fetch {
		return nil
	}
	l := s.rig.lanes()[0]
	if err := l.lay(&scheme); err != nil {
		return err
	}
	at := s.rig.layout.rx(l.index) + l.out.into.SlotOffset(0)/8*8 // the word that the message begins in
	word := &words(s.rig.buf.Bytes()[at:][:creditBytes])[0]
	atomic.StoreUint64(word, probePattern)
	l.out.limit = 1
	if err := l.out.post(1); err != nil {
		return err
	}
	s.synchronous = atomic.LoadUint64(word) != probePattern
	return l.flush()
}
