package harness

import (
	"cmp"
	"errors"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/ibperf/ibperf/internal/testdevice"
	"github.com/ibperf/ibperf/oob"
	"github.com/ibperf/ibperf/option"
	"github.com/ibperf/ibperf/result"
	"github.com/ibperf/ibperf/verbs"
)

// loser is the peer and the device of one side, which sends some datagrams of its measured rounds
// with a Q_Key that the other side's QP does not accept. In a bandwidth test all others have
// arrived before the side tells how many it has sent: the embedded device delivers datagrams in a
// goroutine, which on a loaded host can wait for a CPU for longer than quietAfter.
type loser struct {
	oob.Peer
	to   *loser // the other side
	kind option.Kind
	lost []int // indices of the lost messages in a round

	sync.Mutex
	measured      bool // the round that runs is no warm-up
	posted, taken int  // messages of the round
	spoilt        *verbs.SendWR
	ah            handle
	qpn           uint32
}

// losers returns both sides of a plan. The client loses the first messages, the server the others.
func losers(kind option.Kind, fromClient, fromServer []int) [2]*loser {
	client, server := &loser{kind: kind, lost: fromClient}, &loser{kind: kind, lost: fromServer}
	client.to, server.to = server, client
	return [2]*loser{client, server}
}

// runLosing runs a plan of datagrams, some of which are lost.
func runLosing(t *testing.T, p option.Plan, sides [2]*loser) [2]*result.File {
	t.Helper()
	files, errs := pair{
		device: "shm_whole", plan: p,
		wrap: func(side int, c verbs.Context) verbs.Context {
			l := sides[side]
			return testdevice.Context(c, testdevice.Options{OnPostSend: l.post, PostDelay: l.delay, ArrivalDelay: l.arrival})
		},
		peer: func(side int, peer oob.Peer) oob.Peer { sides[side].Peer = peer; return sides[side] },
	}.run(t)
	if err := errors.Join(errs[:]...); err != nil {
		t.Fatalf("%s: %v", p.Kind, err)
	}
	return files
}

type handle uint64

func (h handle) Handle() uint64 { return uint64(h) }
func (handle) Close() error     { return nil }

func (l *loser) Step(mine oob.Step) (oob.Step, error) {
	theirs, err := l.Peer.Step(mine)
	step := cmp.Or(mine, theirs)
	l.Lock()
	l.measured, l.posted, l.taken = step.Kind == oob.StepRound && !step.Warmup, 0, 0
	l.Unlock()
	return theirs, err
}

// Finish waits until all messages have arrived but for those that are lost.
func (l *loser) Finish(sent []uint64) ([]uint64, error) {
	l.Lock()
	arriving := l.posted
	if l.measured {
		arriving -= len(l.lost)
	}
	l.Unlock()
	for end := time.Now().Add(10 * time.Second); l.kind == option.KindBandwidth && l.to.received() < arriving && time.Now().Before(end); {
		time.Sleep(time.Millisecond)
	}
	return l.Peer.Finish(sent)
}

func (l *loser) received() int {
	l.Lock()
	defer l.Unlock()
	return l.taken
}

// arrival counts the messages that arrive, and delays none.
func (l *loser) arrival(_ uint64, wc *verbs.WC) time.Duration {
	if wc.Opcode == verbs.WCRecv {
		l.Lock()
		l.taken++
		l.Unlock()
	}
	return 0
}

// delay makes the messages of a warm-up so few that each finds a receive.
func (l *loser) delay(uint64, *verbs.SendWR) time.Duration {
	l.Lock()
	defer l.Unlock()
	if l.measured {
		return 0
	}
	return 100 * time.Microsecond
}

func (l *loser) post(_ verbs.QP, wr *verbs.SendWR) {
	l.Lock()
	defer l.Unlock()
	if l.spoilt != nil {
		l.spoilt.SetUD(l.ah, l.qpn, datagramQKey)
		l.spoilt = nil
	}
	if testdevice.Length(wr) == 0 {
		return
	}
	if l.measured && slices.Contains(l.lost, l.posted) {
		ah, qpn, _ := wr.UD()
		l.ah, l.qpn, l.spoilt = handle(ah), qpn, wr
		wr.SetUD(l.ah, qpn, datagramQKey+1)
	}
	l.posted++
}

// Every lost datagram is counted, and no other.
func TestLostDatagramsAreCounted(t *testing.T) {
	for _, kind := range allKinds {
		for _, verify := range []bool{false, true} {
			p := testPlan(option.OpSend, kind, 64, 200)
			p.Transport, p.Verify = option.UD, verify
			for side, f := range runLosing(t, p, losers(kind, []int{3, 40, 41, 199}, nil)) {
				checkLost(t, side, f, 4)
			}
		}
	}
}

// In a test of both directions each direction has its own losses, and the row has their sum.
func TestEachDirectionHasItsLosses(t *testing.T) {
	p := testPlan(option.OpSend, option.KindBandwidth, 64, 200)
	p.Transport, p.Both = option.UD, true
	files := runLosing(t, p, losers(p.Kind, []int{3, 40, 41, 199}, []int{7}))
	fromClient, fromServer := result.Delivery{Sent: 200, Lost: 4}, result.Delivery{Sent: 200, Lost: 1}
	for side, role := range []Role{Client, Server} {
		r := onlyRow(t, files[side])
		local, remote := r.Directions(string(role), p.Op)
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
		t.Errorf("%s, side %d: no warning: %+v", f.Parameters.Kind, side, r.Warnings)
	}
}

// A run on a path that loses every datagram ends, and its row says so.
func TestRunEndsIfEveryDatagramIsLost(t *testing.T) {
	p := testPlan(option.OpSend, option.KindBandwidth, 64, 200)
	p.Transport = option.UD
	files, errs := pair{device: "shm_whole", plan: p, wrap: func(side int, c verbs.Context) verbs.Context {
		return testdevice.Context(c, testdevice.Options{OnPostSend: func(_ verbs.QP, wr *verbs.SendWR) {
			if ah, qpn, _ := wr.UD(); testdevice.Length(wr) > 0 {
				wr.SetUD(handle(ah), qpn, datagramQKey+1)
			}
		}})
	}}.run(t)
	if err := errors.Join(errs[:]...); err != nil {
		t.Fatal(err)
	}
	checkLost(t, 0, files[0], 200)
}

// datagramQKey is the Q_Key of QPs of UD without rdma_cm.
const datagramQKey = 0x11111111
