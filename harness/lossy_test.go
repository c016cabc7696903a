package harness

import (
	"cmp"
	"errors"
	"sync"
	"testing"

	"github.com/ibperf/ibperf/internal/message"
	"github.com/ibperf/ibperf/oob"
	"github.com/ibperf/ibperf/option"
	"github.com/ibperf/ibperf/reports/result"
	"github.com/ibperf/ibperf/verbs"
	"github.com/ibperf/ibperf/verbs/wrap"
)

// loser sends some datagrams of a side's measured rounds with a Q_Key that the peer drops.
type loser struct {
	oob.Peer
	sync.Mutex
	counts bool
	posted int
	lost   []int // numbers of the messages
	spoilt *verbs.SendWR
	ah     handle
	qpn    uint32
}

type handle uint64

func (h handle) Handle() uint64 { return uint64(h) }
func (handle) Close() error     { return nil }

func (l *loser) Turn(mine oob.Turn) (oob.Turn, error) {
	theirs, err := l.Peer.Turn(mine)
	turn := cmp.Or(mine, theirs)
	l.Lock()
	l.counts = turn.Step == oob.StepRound && !turn.Warmup
	l.Unlock()
	return theirs, err
}

func (l *loser) post(_ verbs.QP, wr *verbs.SendWR) {
	l.Lock()
	defer l.Unlock()
	if l.spoilt != nil {
		l.spoilt.SetUD(l.ah, l.qpn, qkey)
		l.spoilt = nil
	}
	if wrap.Length(wr) == 0 || !l.counts {
		return
	}
	for _, n := range l.lost {
		if n == l.posted {
			ah, qpn, _ := wr.UD()
			l.ah, l.qpn, l.spoilt = handle(ah), qpn, wr
			wr.SetUD(l.ah, qpn, qkey+1)
		}
	}
	l.posted++
}

// Each datagram that is lost is counted, and none that is not; nothing waits for it.
func TestLostDatagramsAreCounted(t *testing.T) {
	for _, kind := range allKinds {
		for _, verify := range []bool{false, true} {
			l := &loser{lost: []int{3, 40, 41, 199}}
			p := testPlan(option.OpSend, kind, 64, 200)
			p.Transport, p.Verify = option.UD, verify
			files, errs := pair{
				device: "shm_whole", plan: p,
				wrap: func(side int, c verbs.Context) verbs.Context {
					if side == 1 {
						return c
					}
					return wrap.Context(c, wrap.Options{OnPostSend: l.post})
				},
				peer: func(side int, peer oob.Peer) oob.Peer {
					if side == 1 {
						return peer
					}
					l.Peer = peer
					return l
				},
			}.run(t)
			if err := errors.Join(errs[:]...); err != nil {
				t.Fatalf("%s: %v", kind, err)
			}
			for side, f := range files {
				checkLost(t, side, f, 4)
			}
		}
	}
}

// In both directions each has its own losses, and the row the sum of both.
func TestEachDirectionHasItsLosses(t *testing.T) {
	losers := []*loser{{lost: []int{3, 40, 41, 199}}, {lost: []int{7}}}
	p := testPlan(option.OpSend, option.KindBandwidth, 64, 200)
	p.Transport, p.Both = option.UD, true
	files, errs := pair{
		device: "shm_whole", plan: p,
		wrap: func(side int, c verbs.Context) verbs.Context {
			return wrap.Context(c, wrap.Options{OnPostSend: losers[side].post})
		},
		peer: func(side int, peer oob.Peer) oob.Peer { losers[side].Peer = peer; return losers[side] },
	}.run(t)
	if err := errors.Join(errs[:]...); err != nil {
		t.Fatal(err)
	}
	fromClient, fromServer := result.Delivery{Sent: 200, Lost: 4}, result.Delivery{Sent: 200, Lost: 1}
	for side, role := range []Role{Client, Server} {
		r := onlyRow(t, files[side])
		local, remote := r.Directions(string(role), string(p.Op))
		own, other := fromClient, fromServer
		if role == Server {
			own, other = other, own
		}
		for what, d := range map[string]struct {
			got  *result.Delivery
			want result.Delivery
		}{
			"row":         {r.Delivery, result.Delivery{Sent: 400, Lost: 5}},
			"from client": {r.FromClient.Delivery, fromClient}, "from server": {r.FromServer.Delivery, fromServer},
			"local": {local.Delivery, own}, "remote": {remote.Delivery, other},
		} {
			if d.got == nil || *d.got != d.want {
				t.Errorf("%s, %s: %+v, want %+v", role, what, d.got, d.want)
			}
		}
	}
}

func checkLost(t *testing.T, side int, f *result.File, want uint64) {
	t.Helper()
	r := &f.Rows[0]
	if r.Delivery == nil || r.Delivery.Lost != want || r.Delivery.Sent < 200 || r.Verify != nil && r.Verify.Bad() > 0 {
		t.Errorf("%s, side %d: delivery %+v, verify %+v", f.Parameters.Kind, side, r.Delivery, r.Verify)
	}
	if b := r.Bandwidth; b != nil && (b.Messages == 0 || b.Messages > r.Delivery.Sent || !(b.Average > 0)) {
		t.Errorf("side %d: %+v of %d messages", side, b, r.Delivery.Sent)
	}
	if len(r.Warnings) == 0 || r.Warnings[0].ID == "" {
		t.Errorf("%s, side %d: nothing is told: %+v", f.Parameters.Kind, side, r.Warnings)
	}
}

// A path that loses everything ends a run, and says so.
func TestNothingHangsForWhatIsLost(t *testing.T) {
	p := testPlan(option.OpSend, option.KindBandwidth, 64, 200)
	p.Transport = option.UD
	files, errs := pair{device: "shm_whole", plan: p, wrap: func(side int, c verbs.Context) verbs.Context {
		return wrap.Context(c, wrap.Options{OnPostSend: func(_ verbs.QP, wr *verbs.SendWR) {
			if ah, qpn, _ := wr.UD(); wrap.Length(wr) > 0 {
				wr.SetUD(handle(ah), qpn, qkey+1)
			}
		}})
	}}.run(t)
	if err := errors.Join(errs[:]...); err != nil {
		t.Fatal(err)
	}
	checkLost(t, 0, files[0], 200)
}

// A message that comes after it was given up is no duplicate, and one that comes twice is.
func TestLateMessagesAreNoDuplicates(t *testing.T) {
	const slots = 3
	ring, err := message.NewRing(make([]byte, message.RingBytes(8, 0, slots)), 8, 0, slots)
	if err != nil {
		t.Fatal(err)
	}
	marks := message.NewMarkers(ring, verbs.OrderWhole)
	i := &receiver{ring: ring, marks: marks, check: message.NewChecker(ring, marks), passed: make([]uint64, slots)}
	i.pass(1)
	marks.Write(0)
	i.notice(slots)
	if n := i.check.Counts().Duplicates; n != 0 {
		t.Errorf("%d duplicates of a message that came late", n)
	}
	marks.Write(1)
	i.notice(1 + slots)
	if n := i.check.Counts().Duplicates; n != 1 {
		t.Errorf("%d duplicates of a message that came twice", n)
	}
}
