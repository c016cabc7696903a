//go:build !race

package shm

import (
	"math/rand"
	"runtime"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"github.com/ibperf/ibperf/verbs"
	"github.com/ibperf/ibperf/verbs/shm/internal/arming"
)

// TestSabotage's goals, and its time limit. It does not run under the race detector, which does not
// see mapped memory and would make it slow.
const (
	wordsWanted   = 1_000_000
	roundsWanted  = 60
	packetsWanted = 2_000
	fillsWanted   = 50
	sabotageLimit = 14 * time.Second
	stoppedFor    = 3 * time.Second
)

// TestSabotage connects a QP to a peer that continuously stores garbage in all memory that it can
// reach: the QP's receive queue, its own directory and receive queue, which the QP's requester
// uses, its socket, and the pipes of channels, which it fills. The QP may fail; its process and its
// other connections must not. One of those leads to a process that is stopped for a while.
func TestSabotage(t *testing.T) {
	p := newSabotageTarget(t)
	p.connectStopped(t, stoppedFor)
	s := newSaboteur(t, p)
	var ending atomic.Bool
	var running sync.WaitGroup
	defer running.Wait()
	defer ending.Store(true)
	running.Go(func() {
		for !ending.Load() {
			s.corruptDue()
			runtime.Gosched()
		}
	})
	running.Go(func() {
		for !ending.Load() {
			s.sendGarbage(t, p.ctx.id)
		}
	})
	running.Go(func() {
		for !ending.Load() {
			s.fillPipes(p)
		}
	})
	rng := rand.New(rand.NewSource(2))
	rounds := 0
	for end := time.Now().Add(sabotageLimit); time.Now().Before(end); rounds++ {
		if s.corrupted.Load() >= wordsWanted && s.packets.Load() >= packetsWanted && s.fills.Load() >= fillsWanted && rounds >= roundsWanted {
			break
		}
		s.reconnect(t, p)
		p.runRound(t, rng, s, rounds%3 > 0)
		p.checkHonest(t)
	}
	t.Logf("%d words, %d packets and %d fills in %d rounds; %d requests of the sabotaged connection succeeded and %d failed",
		s.corrupted.Load(), s.packets.Load(), s.fills.Load(), rounds, p.succeeded, p.failed)
	if s.corrupted.Load() < wordsWanted || s.packets.Load() < packetsWanted || s.fills.Load() < fillsWanted || rounds < roundsWanted {
		t.Errorf("fewer than %d words, %d packets, %d fills and %d rounds in %v", wordsWanted, packetsWanted, fillsWanted, roundsWanted, sabotageLimit)
	}
	p.awaitStopped(t)
	if p.succeeded == 0 || p.failed == 0 {
		t.Error("requests of the sabotaged connection either all succeeded or all failed")
	}
}

// saboteur is a peer that violates every rule, in an otherwise honest context.
type saboteur struct {
	*node
	mu        sync.Mutex
	rng       *rand.Rand
	areas     [][]byte
	due       atomic.Int64 // words to corrupt
	region    mrEntry
	corrupted atomic.Int64
	packets   atomic.Int64
	fills     atomic.Int64
	ch        *channel
	pipe      int // pipe of the target's channel
}

func newSaboteur(t *testing.T, p *sabotageTarget) *saboteur {
	t.Helper()
	own := newEventNode(t)
	s := &saboteur{node: own.node, ch: own.ch, rng: rand.New(rand.NewSource(1))}
	s.areas = append(s.areas, p.qp.recv.file.Bytes()) // mapped by the connected peer
	s.pipe = (&eventNode{p.node, p.ch.(*channel)}).openPipe(t)
	entry, region := s.entries()
	s.region = *region
	// Without the requester's word, on which this side's own calls would wait forever.
	armed := &s.ctx.dir.cqs[s.qp.recvCQ.notifier.cq%maxCQ]
	s.areas = append(s.areas, viewBytes(entry)[:64], viewBytes(entry)[128:], viewBytes(region), viewBytes(armed)[:8], s.qp.recv.file.Bytes())
	t.Cleanup(func() { *region = s.region })
	return s
}

// entries returns the entries of the saboteur's QP and region in its directory.
func (s *saboteur) entries() (*qpEntry, *mrEntry) {
	return s.qp.entry, &s.ctx.dir.mrs[keyIndex(s.mr.LKey())]
}

// fillPipes fills the pipe of the target's channel with tokens, some of them valid, or with noise.
// It also fills the saboteur's own pipe, to which the target writes.
func (s *saboteur) fillPipes(p *sabotageTarget) {
	rng := rand.New(rand.NewSource(s.fills.Load()))
	b := p.cq.(*cq).notifier
	armed := arming.Number(b.word)
	for errno := unix.Errno(0); errno == 0; {
		errno = writeToken(s.pipe, token{cq: b.cq - uint32(rng.Intn(2)), mark: tokenMark, armed: armed + uint64(rng.Intn(40)) - 20})
	}
	for errno := unix.Errno(0); errno == 0; {
		errno = writeToken(s.ch.writeFD, token{})
	}
	time.Sleep(time.Duration(rng.Intn(20)) * time.Millisecond) // the target empties it meanwhile
	if rng.Intn(2) == 0 {
		unix.Write(s.pipe, make([]byte, rng.Intn(100)))
	}
	s.fills.Add(1)
}

// corruptDue corrupts as many words as are due.
func (s *saboteur) corruptDue() {
	s.mu.Lock()
	defer s.mu.Unlock()
	for ; s.due.Load() > 0; s.due.Add(-1) {
		s.corruptWord()
		s.corrupted.Add(1)
	}
}

// corruptWord corrupts one word: with noise, by flipping one bit, with small numbers, or with the
// value of another word.
func (s *saboteur) corruptWord() {
	area := s.areas[s.rng.Intn(len(s.areas))]
	word := func() *uint64 { return view[uint64](area, s.rng.Intn(len(area)/8)*8) }
	switch w := word(); s.rng.Intn(4) {
	case 0:
		atomic.StoreUint64(w, s.rng.Uint64())
	case 1:
		atomic.StoreUint64(w, atomic.LoadUint64(w)^1<<s.rng.Intn(64))
	case 2:
		atomic.StoreUint64(w, uint64(s.rng.Intn(40))|uint64(s.rng.Intn(40))<<32)
	case 3:
		atomic.StoreUint64(w, atomic.LoadUint64(word()))
	}
}

// sendGarbage sends noise to the target's socket, often of a valid size.
func (s *saboteur) sendGarbage(t *testing.T, id uint64) {
	conn, _, err := dial(id)
	if err != nil {
		t.Errorf("the target does not accept connections: %v", err)
		return
	}
	defer conn.Close()
	rng := rand.New(rand.NewSource(s.packets.Load()))
	for range 10 {
		b := encodeDoorbell(rng.Uint32() >> rng.Intn(32))
		if rng.Intn(8) == 0 {
			b = make([]byte, rng.Intn(100))
			rng.Read(b)
		}
		if _, err := conn.Write(b); err != nil {
			return // the target may drop this connection
		}
		s.packets.Add(1)
	}
	conn.SetReadDeadline(time.Now().Add(time.Millisecond))
	conn.Read(make([]byte, unmapNoticeSize)) // paces this loop by the target, which must also serve others
}

// reconnect repairs the saboteur's side and connects it to the target's QP.
func (s *saboteur) reconnect(t *testing.T, p *sabotageTarget) {
	t.Helper()
	s.mu.Lock()
	defer s.mu.Unlock()
	entry, region := s.entries()
	*region, entry.num, entry.pd = s.region, s.qp.num, s.qp.pd.id
	entry.slots, entry.maxSGE, entry.cq = s.qp.recv.layout.n, s.qp.recv.layout.maxSGE, s.qp.recvCQ.notifier.number()
	entry.fd, entry.inode = uint32(s.qp.recv.file.FD()), s.qp.recv.inode
	check(t, s.qp.Modify(&verbs.QPAttr{State: verbs.QPReset}, verbs.MaskState))
	check(t, s.connect(p.endpoint()))
	for range s.qp.cap.MaxRecvWR {
		sge := verbs.SGE{Addr: s.mr.Addr(), Length: targetMessageSize, LKey: s.mr.LKey()}
		_, err := s.qp.PostRecv(&verbs.RecvWR{SGList: &sge, NumSGE: 1})
		check(t, err)
	}
}
