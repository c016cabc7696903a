package harness

import (
	"fmt"
	"math"
	"sync/atomic"
	"time"

	"github.com/ibperf/ibperf/harness/internal/message"
	"github.com/ibperf/ibperf/option"
	"github.com/ibperf/ibperf/verbs"
)

// receives returns the number of receives that a QP has posted at the start, by perftest's rule.
func (d *perftestDouble) receives() uint64 {
	n := uint64(d.plan.RxDepth)
	if d.plan.Transport != option.RC && n == 512 {
		n = 16000
	}
	if d.plan.Duration == 0 {
		n = min(n, d.plan.Iterations)
	}
	if len(d.plan.Sizes) == 1 && n%2 == 1 {
		n++
	}
	return n
}

// postFirstReceives posts the receives of a size, and returns the number of each QP.
func (d *perftestDouble) postFirstReceives(size int) (posted []uint64, err error) {
	if !d.sends() || !d.server && !d.latency() && !d.plan.Both {
		return nil, nil
	}
	for qp := range d.qps {
		posted = append(posted, 0)
		for posted[qp] < d.receives() {
			if err := d.postReceive(qp, size, posted); err != nil {
				return nil, err
			}
		}
	}
	return posted, nil
}

func (d *perftestDouble) postReceive(qp, size int, posted []uint64) error {
	posted[qp]++
	length := size
	if d.plan.Transport == option.UD {
		length += verbs.GRHSize
	}
	d.sge[0] = verbs.SGE{Addr: d.mr.Addr() + uint64(d.rx(qp)), Length: uint32(length), LKey: d.mr.LKey()}
	d.rr[0] = verbs.RecvWR{WRID: uint64(qp), SGList: &d.sge[0], NumSGE: 1}
	_, err := d.qps[qp].PostRecv(&d.rr[0])
	return err
}

// takeReceives polls for messages, and posts their receives again. It fails on a message of another size.
func (d *perftestDouble) takeReceives(size int, posted []uint64) (uint64, error) {
	wcs, err := d.poll(d.recvCQ)
	if err != nil {
		return 0, err
	}
	for _, wc := range wcs {
		want := size
		if d.plan.Transport == option.UD {
			want += verbs.GRHSize
		}
		if int(wc.ByteLen) != want || wc.Opcode != verbs.WCRecv || wc.Flags&verbs.WCWithImm != 0 {
			return 0, fmt.Errorf("a message of %d bytes, %s, flags %v", wc.ByteLen, wc.Opcode, wc.Flags)
		}
		if qp := int(wc.WRID); d.plan.Duration > 0 || posted[qp]+1 <= d.plan.Iterations {
			if err := d.postReceive(qp, size, posted); err != nil {
				return 0, err
			}
		}
	}
	return uint64(len(wcs)), nil
}

// stream sends or receives as many messages as the plan has on each QP, or both.
func (d *perftestDouble) stream(size int, posted []uint64) error {
	var sent, received uint64
	d.completed = 0
	total, timed := d.plan.Iterations*uint64(d.plan.QPs), d.plan.Duration > 0
	sends, receives := !d.server || d.plan.Both, len(posted) > 0
	if !sends && !receives {
		return nil
	}
	until := d.ends()
	if timed {
		total = math.MaxUint64
	}
	_, err := d.spin(until, func() (bool, error) {
		for sends && sent < total && sent-d.completed < 128 {
			if err := d.post(int(sent)%d.plan.QPs, sent/uint64(d.plan.QPs), size); err != nil {
				return false, err
			}
			sent++
		}
		if sends {
			wcs, err := d.poll(d.sendCQ)
			if d.completed += uint64(len(wcs)); err != nil {
				return false, err
			}
		}
		if receives {
			n, err := d.takeReceives(size, posted)
			if received += n; err != nil {
				return false, err
			}
		}
		return (!sends || d.completed == total) && (!receives || received == total), nil
	})
	if !timed && receives && received != total {
		return fmt.Errorf("%d of %d messages, %v", received, total, err)
	}
	return err
}

// awaitSend polls for the completion of a send.
func (d *perftestDouble) awaitSend() error {
	_, err := d.spin(time.Time{}, func() (bool, error) {
		wcs, err := d.poll(d.sendCQ)
		return len(wcs) > 0, err
	})
	return err
}

// fetchLat sends one request after another.
func (d *perftestDouble) fetchLat(size int) error {
	until := d.ends()
	for k := uint64(0); k < d.plan.Iterations || d.plan.Duration > 0 && time.Now().Before(until); k++ {
		if err := d.post(0, k, size); err != nil {
			return err
		}
		if err := d.awaitSend(); err != nil {
			return err
		}
	}
	return nil
}

// writeLat spins on the last byte of each message until it is the low byte of the message's number. The server
// sends first.
func (d *perftestDouble) writeLat(size int) error {
	until, n := d.ends(), d.plan.Iterations
	if d.plan.Duration > 0 {
		n = math.MaxUint64
	}
	memory := d.buffer.Bytes()
	if b := memory[d.rx(0)+size-1]; d.server && b != 0 {
		return fmt.Errorf("the last byte of the first message is %d before the server has sent anything", b)
	}
	word, shift := message.Word(memory[(d.rx(0)+size-1)&^7:]), 8*((size-1)&7)
	for sent, got := uint64(0), uint64(0); sent < n || got < n; {
		if got < n && (!d.server || sent > got) {
			over, err := d.spin(until, func() (bool, error) { return byte(atomic.LoadUint64(word)>>shift) == byte(got+1), nil })
			if err != nil || over {
				return err
			}
			got++
		}
		if sent == n {
			continue
		}
		sent++
		memory[d.tx(0)+size-1] = byte(sent)
		if err := d.post(0, sent-1, size); err != nil {
			return err
		}
		if err := d.awaitSend(); err != nil {
			return err
		}
	}
	return nil
}

// sendLat answers each message; the client sends first.
func (d *perftestDouble) sendLat(size int, posted []uint64) error {
	until, n := d.ends(), d.plan.Iterations
	if d.plan.Duration > 0 {
		n = math.MaxUint64
	}
	var got uint64
	for sent := uint64(0); sent < n || got < n; {
		if !d.server || got > sent {
			sent++
			if err := d.post(0, sent-1, size); err != nil {
				return err
			}
			if err := d.awaitSend(); err != nil {
				return err
			}
		}
		if got == n {
			continue
		}
		over, err := d.spin(until, func() (bool, error) {
			m, err := d.takeReceives(size, posted)
			got += m
			return m > 0, err
		})
		if err != nil || over {
			return err
		}
	}
	return nil
}
