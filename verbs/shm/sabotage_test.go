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
)

// What TestSabotage is to reach, and when it gives up. The race detector does not
// look at mapped memory, and would make it slow.
const (
	strikesWanted = 1_000_000
	roundsWanted  = 60
	packetsWanted = 2_000
	fillsWanted   = 50
	sabotageLimit = 14 * time.Second
	haltedFor     = 3 * time.Second
)

// TestSabotage connects a QP to a peer that stores garbage, all the time, into
// everything that it can reach: the QP's receive queue, its own directory and receive
// queue, which the QP's requester uses, its socket, and the pipes of channels, which it fills. The QP may fail as often as it likes; its process and its
// other connections may not, of which one leads to a process that is stopped for a while.
func TestSabotage(t *testing.T) {
	p := newPrey(t)
	p.halt(t, haltedFor)
	s := newSaboteur(t, p)
	var ending atomic.Bool
	var running sync.WaitGroup
	defer running.Wait()
	defer ending.Store(true)
	running.Go(func() {
		for !ending.Load() {
			s.burst()
			runtime.Gosched()
		}
	})
	running.Go(func() {
		for !ending.Load() {
			s.packet(t, p.ctx.id)
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
		if s.strikes.Load() >= strikesWanted && s.packets.Load() >= packetsWanted && s.fills.Load() >= fillsWanted && rounds >= roundsWanted {
			break
		}
		s.reconnect(t, p)
		p.suffer(t, rng, s, rounds%3 > 0)
		p.lives(t)
	}
	t.Logf("%d words, %d packets and %d fills in %d rounds; of the spoiled connection %d requests succeeded and %d failed",
		s.strikes.Load(), s.packets.Load(), s.fills.Load(), rounds, p.succeeded, p.failed)
	if s.strikes.Load() < strikesWanted || s.packets.Load() < packetsWanted || s.fills.Load() < fillsWanted || rounds < roundsWanted {
		t.Errorf("fewer than %d words, %d packets, %d fills and %d rounds in %v", strikesWanted, packetsWanted, fillsWanted, roundsWanted, sabotageLimit)
	}
	p.resumes(t)
	if p.succeeded == 0 || p.failed == 0 {
		t.Error("the connection always failed, or never")
	}
}

// saboteur is a peer that breaks every rule, in a context that is otherwise honest.
type saboteur struct {
	*victim
	mu      sync.Mutex
	rng     *rand.Rand
	areas   [][]byte
	due     atomic.Int64 // strikes that are to come
	region  mrEntry
	strikes atomic.Int64
	packets atomic.Int64
	fills   atomic.Int64
	ch      *channel
	pipe    int // of the victim's channel
}

func newSaboteur(t *testing.T, p *prey) *saboteur {
	t.Helper()
	own := newSleeper(t)
	s := &saboteur{victim: own.victim, ch: own.ch, rng: rand.New(rand.NewSource(1))}
	s.areas = append(s.areas, p.qp.recv.file.Bytes()) // which the peer that the QP is connected to maps
	s.pipe = (&sleeper{p.victim, p.ch.(*channel)}).reachPipe(t)
	entry, region := s.entries()
	s.region = *region
	// Not the word of the requester, on which this side's own calls would wait for ever.
	armed := &s.ctx.dir.cqs[s.qp.recvCQ.notifier.cq%maxCQ]
	s.areas = append(s.areas, viewBytes(entry)[:64], viewBytes(entry)[128:], viewBytes(region), viewBytes(armed)[:8], s.qp.recv.file.Bytes())
	t.Cleanup(func() { *region = s.region })
	return s
}

// entries are what the saboteur's directory says of its QP and its region.
func (s *saboteur) entries() (*qpEntry, *mrEntry) {
	return s.qp.entry, &s.ctx.dir.mrs[keyIndex(s.mr.LKey())]
}

// fillPipes fills the pipe of the victim's channel with tokens
// that may be right or with noise, and the saboteur's own one, to which the victim writes.
func (s *saboteur) fillPipes(p *prey) {
	rng := rand.New(rand.NewSource(s.fills.Load()))
	b := p.cq.(*cq).notifier
	armed := atomic.LoadUint64(b.word) >> armShift
	for errno := unix.Errno(0); errno == 0; {
		errno = writeToken(s.pipe, token{cq: b.cq - uint32(rng.Intn(2)), mark: tokenMark, armed: armed + uint64(rng.Intn(40)) - 20})
	}
	for errno := unix.Errno(0); errno == 0; {
		errno = writeToken(s.ch.out, token{})
	}
	time.Sleep(time.Duration(rng.Intn(20)) * time.Millisecond) // the victim empties it meanwhile
	if rng.Intn(2) == 0 {
		unix.Write(s.pipe, make([]byte, rng.Intn(100)))
	}
	s.fills.Add(1)
}

// burst spoils as many words as are due.
func (s *saboteur) burst() {
	s.mu.Lock()
	defer s.mu.Unlock()
	for ; s.due.Load() > 0; s.due.Add(-1) {
		s.strike()
		s.strikes.Add(1)
	}
}

// strike spoils one word: with noise, by one bit, with numbers that may be legal,
// or with what stands elsewhere.
func (s *saboteur) strike() {
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

// packet sends noise to the victim's socket, often of the right size.
func (s *saboteur) packet(t *testing.T, id uint64) {
	conn, _, err := dial(id)
	if err != nil {
		t.Errorf("the victim does not accept: %v", err)
		return
	}
	defer conn.Close()
	rng := rand.New(rand.NewSource(s.packets.Load()))
	for range 10 {
		b := encodeLook(rng.Uint32() >> rng.Intn(32))
		if rng.Intn(8) == 0 {
			b = make([]byte, rng.Intn(100))
			rng.Read(b)
		}
		if _, err := conn.Write(b); err != nil {
			return // the victim has dropped this connection, as it may
		}
		s.packets.Add(1)
	}
	conn.SetReadDeadline(time.Now().Add(time.Millisecond))
	conn.Read(make([]byte, noteSize)) // in step with the victim, which is to serve others too
}

// reconnect repairs the saboteur's side and connects it to the victim's QP.
func (s *saboteur) reconnect(t *testing.T, p *prey) {
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
		sge := verbs.SGE{Addr: s.mr.Addr(), Length: preyRoom, LKey: s.mr.LKey()}
		_, err := s.qp.PostRecv(&verbs.RecvWR{SGList: &sge, NumSGE: 1})
		check(t, err)
	}
}
