package soak

import (
	"encoding/binary"
	"errors"
	"fmt"
	"math/rand/v2"
	"runtime"
	"slices"
	"time"

	"github.com/ibperf/ibperf/verbs"
)

// limit bounds each step of a session. It is much longer than a process is stopped.
const limit = time.Minute

var errHang = errors.New("no end in sight")

// work is the traffic of one side.
type work struct {
	*side
	line     *line
	slots    []slot
	random   *rand.Rand
	issued   int      // messages
	sent     int      // SENDs with data
	got      int      // SENDs with data from the other side
	releases []uint16 // slots of the other side with a checked payload, to be announced
	offers   []header // regions of the other side, to be read
	idle     int
}

// slot is an outstanding message of this side.
type slot struct {
	busy    bool
	written bool // the other side's window, on UC
	op      verbs.Opcode
	waits   bool // for the other side's release; otherwise for the completion
	version uint32
	want    []byte        // expected data of a READ
	old     uint64        // expected result of an atomic operation
	answer  int           // the slot of the offer that a READ answers, or -1
	buf     *verbs.Buffer // of an offer
	mr      verbs.MR
}

func newWork(s *side, l *line) *work {
	return &work{side: s, line: l, slots: make([]slot, s.plan.slots),
		random: rand.New(rand.NewPCG(s.seed, 2+uint64(s.role)))}
}

// run sends and receives all messages, and compares the atomic words with the other side.
func (w *work) run() error {
	defer w.withdraw()
	if err := w.exchange(); err != nil {
		return err
	}
	bye := controlMessage{Step: "bye"}
	for _, l := range w.conns {
		bye.Words = append(bye.Words, l.word)
	}
	if err := w.line.tell(bye); err != nil {
		return err
	}
	far, err := w.line.hear("bye")
	if err != nil {
		return err
	}
	for i, want := range far.Words {
		if got := binary.LittleEndian.Uint64(w.mem[w.words+8*i:]); got != want {
			return fmt.Errorf("%w: word %d of atomic operations is %#x instead of %#x", errWrong, i, got, want)
		}
	}
	if w.revoked {
		return w.tryRevoked()
	}
	return nil
}

// exchange returns when all messages of both sides have been sent and checked.
func (w *work) exchange() error {
	end := time.Now().Add(limit)
	var far *controlMessage
	for sent := false; ; {
		busy, err := w.step()
		if err != nil {
			return err
		}
		if !sent && w.done() {
			sent = true
			if err := w.line.tell(controlMessage{Step: "sent", Sent: w.sent}); err != nil {
				return err
			}
		}
		select {
		case <-w.line.lost: // otherwise a side that waits for an answer would not notice
			return w.line.last()
		default:
		}
		if far == nil {
			if far, err = w.line.listen("sent"); err != nil {
				return err
			}
		}
		if busy {
			continue
		}
		if sent && far != nil && (w.got == far.Sent || !w.kind.reliable()) {
			return nil
		}
		if time.Now().After(end) {
			return fmt.Errorf("%w after %v: %s", errHang, limit, w.state(far))
		}
		if err := w.wait(); err != nil {
			return err
		}
	}
}

// done reports whether this side has no outstanding message.
func (w *work) done() bool {
	return w.issued == w.messages && len(w.releases)+len(w.offers) == 0 &&
		!slices.ContainsFunc(w.slots, func(s slot) bool { return s.busy })
}

func (w *work) state(far *controlMessage) string {
	busy := 0
	for _, s := range w.slots {
		if s.busy {
			busy++
		}
	}
	return fmt.Sprintf("%d of %d messages posted, %d slots busy, %d data SENDs received, the other side has sent %+v",
		w.issued, w.messages, busy, w.got, far)
}

// step posts requests while there is room, and handles the queued completions.
func (w *work) step() (busy bool, err error) {
	posted, err := w.post()
	if err != nil {
		return false, err
	}
	n, err := w.reap()
	return posted || n > 0, err
}

func (w *work) reap() (int, error) {
	n, err := w.cq.Poll(w.wc)
	if err != nil {
		return 0, err
	}
	for i := range w.wc[:n] {
		if err := w.complete(&w.wc[i]); err != nil {
			return 0, err
		}
	}
	return n, nil
}

// wait sleeps for a completion, or yields the CPU.
func (w *work) wait() error {
	if w.ch == nil {
		if w.idle++; w.idle%64 == 0 {
			time.Sleep(50 * time.Microsecond)
		}
		runtime.Gosched()
		return nil
	}
	if err := w.cq.ReqNotify(false); err != nil {
		return err
	}
	if n, err := w.reap(); n > 0 || err != nil {
		return err
	}
	err := w.event(20 * time.Millisecond) // short, as step "sent" raises no event of the device
	if !errors.Is(err, verbs.ErrTimeout) {
		return err
	}
	if n, err := w.reap(); n == 0 || err != nil {
		return err
	}
	if err = w.event(limit); errors.Is(err, verbs.ErrTimeout) {
		err = fmt.Errorf("%w: an armed CQ has completions and raised no event", errHang)
	}
	return err
}

func (w *work) event(timeout time.Duration) error {
	cq, err := w.ch.GetEvent(timeout)
	if err == nil {
		cq.AckEvents(1)
	}
	return err
}

// withdraw closes the regions of open offers.
func (w *work) withdraw() {
	for i := range w.slots {
		if w.slots[i].mr != nil {
			w.free(i)
		}
	}
}

// tryRevoked sends a WRITE to memory that the other side has deregistered.
func (w *work) tryRevoked() error {
	if w.role == 1 {
		if _, err := w.line.hear("tried"); err != nil {
			return err
		}
		if err := compare("deregistered memory", w.gone, noise[:w.size]); err != nil {
			return fmt.Errorf("%w: %w", errWrong, err)
		}
		return nil
	}
	w.sge[0] = verbs.SGE{Addr: w.mr.Addr(), Length: uint32(w.size), LKey: w.mr.LKey()}
	wr := &w.send[0]
	*wr = verbs.SendWR{Opcode: verbs.OpRDMAWrite, SGList: &w.sge[0], NumSGE: 1, SendFlags: verbs.SendSignaled}
	wr.SetRDMA(w.far.Gone.Addr, w.far.Gone.RKey)
	if _, err := w.conns[0].qp.PostSend(wr); err != nil {
		return err
	}
	for end := time.Now().Add(limit); ; {
		n, err := w.cq.Poll(w.wc[:1])
		switch {
		case err != nil:
			return err
		case n == 1 && w.wc[0].Status == verbs.WCRemAccessErr:
			return w.line.tell(controlMessage{Step: "tried"})
		case n == 1 && w.wc[0].Status != verbs.WCSuccess:
			return fmt.Errorf("WRITE to deregistered memory: %s", w.wc[0].Status)
		case n == 1 && w.wc[0].WRID == 0:
			return fmt.Errorf("%w: WRITE to deregistered memory succeeded", errWrong)
		case time.Now().After(end):
			return fmt.Errorf("WRITE to deregistered memory: %w", errHang)
		}
		runtime.Gosched()
	}
}
