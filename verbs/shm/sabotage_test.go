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
// queue, which the QP's requester uses, and the sockets, of which it fills those to channels
// and makes writing to them block. The QP may fail as often as it likes; its process and its
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
			s.fillDoors(t, p.victim)
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
}

func newSaboteur(t *testing.T, p *prey) *saboteur {
	t.Helper()
	own := newSleeper(t)
	s := &saboteur{victim: own.victim, ch: own.ch, rng: rand.New(rand.NewSource(1))}
	s.reach(t, p.victim)
	entry, region := s.entries()
	s.region = *region
	// Not the word of the requester, on which this side's own calls would wait for ever.
	armed := &s.ctx.dir.cqs[s.qp.recvCQ.bell.cq%maxCQ]
	s.areas = append(s.areas, viewBytes(entry)[:64], viewBytes(region), viewBytes(armed)[:8], s.qp.recv.file.Bytes())
	t.Cleanup(func() { *region = s.region })
	return s
}

// entries are what the saboteur's directory says of its QP and its region.
func (s *saboteur) entries() (*qpEntry, *mrEntry) {
	return s.qp.entry, &s.ctx.dir.mrs[keyIndex(s.mr.LKey())]
}

// reach maps the receive queue of the victim's QP, as the peer that the QP is connected to can.
func (s *saboteur) reach(t *testing.T, v *victim) {
	t.Helper()
	rep, fds, hangUp := askQueue(t, v)
	defer hangUp()
	m, err := unix.Mmap(fds[0], 0, recvLayout{rep.n, rep.sge}.size(), unix.PROT_READ|unix.PROT_WRITE, unix.MAP_SHARED)
	check(t, err)
	t.Cleanup(func() { unix.Munmap(m) })
	s.areas = append(s.areas, m)
}

// fillDoors fills the doors of the victim's channel that a new connection opens, with tokens
// that may be right or with noise, and those of the saboteur's own one, to which the victim sends.
func (s *saboteur) fillDoors(t *testing.T, v *victim) {
	rep, fds, hangUp := askQueue(t, v)
	defer hangUp()
	rng := rand.New(rand.NewSource(s.fills.Load()))
	armed := atomic.LoadUint64(v.qp.recvCQ.bell.word) >> armShift
	for errno := unix.Errno(0); errno == 0; {
		errno = sendToken(fds[1], token{cq: rep.bell - uint32(rng.Intn(2)), armed: armed + uint64(rng.Intn(40)) - 20})
	}
	s.fillOwn(t)
	time.Sleep(time.Duration(rng.Intn(20)) * time.Millisecond) // the victim empties it meanwhile
	if rng.Intn(2) == 0 {
		unix.Send(fds[1], make([]byte, rng.Intn(100)), unix.MSG_DONTWAIT|unix.MSG_NOSIGNAL)
	}
	s.fills.Add(1)
}

func (s *saboteur) fillOwn(t *testing.T) {
	s.ch.mu.Lock() // so that none is closed meanwhile
	defer s.ch.mu.Unlock()
	for _, d := range s.ch.doors {
		fill(t, d.out)
	}
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
	conn, err := dial(id)
	if err != nil {
		t.Errorf("the victim does not accept: %v", err)
		return
	}
	defer conn.Close()
	rng := rand.New(rand.NewSource(s.packets.Load()))
	for range 10 {
		b := request{op: askOp(rng.Intn(12)), arg: rng.Uint32() >> rng.Intn(32), epoch: uint32(rng.Intn(4))}.encode()
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
	conn.Read(make([]byte, replySize)) // in step with the victim, which is to answer others too
}

// reconnect repairs the saboteur's side and connects it to the victim's QP.
func (s *saboteur) reconnect(t *testing.T, p *prey) {
	t.Helper()
	s.mu.Lock()
	defer s.mu.Unlock()
	entry, region := s.entries()
	*region, entry.num, entry.pd = s.region, s.qp.num, s.qp.pd.id
	check(t, s.qp.Modify(&verbs.QPAttr{State: verbs.QPReset}, verbs.MaskState))
	check(t, s.connect(p.endpoint()))
	for range s.qp.cap.MaxRecvWR {
		sge := verbs.SGE{Addr: s.mr.Addr(), Length: preyRoom, LKey: s.mr.LKey()}
		_, err := s.qp.PostRecv(&verbs.RecvWR{SGList: &sge, NumSGE: 1})
		check(t, err)
	}
}
