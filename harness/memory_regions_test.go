package harness

import (
	"bytes"
	"sync"
	"testing"

	"github.com/ibperf/ibperf/internal/testdevice"
	"github.com/ibperf/ibperf/option"
	"github.com/ibperf/ibperf/result"
	"github.com/ibperf/ibperf/verbs"
)

// registered records the memory regions of both sides and the keys in messages.
type registered struct {
	sync.Mutex
	access []verbs.Access
	lens   []int
	keys   map[uint32]bool // lkeys of messages of 64 bytes
	remote map[uint32]bool // rkeys
	ops    map[verbs.Opcode]bool
}

func (r *registered) watch(_ int, c verbs.Context) verbs.Context {
	return testdevice.Context(c, testdevice.Options{
		OnRegMR: func(mr verbs.MR, access verbs.Access) {
			r.Lock()
			defer r.Unlock()
			r.access, r.lens = append(r.access, access), append(r.lens, mr.Len())
		},
		OnPostSend: func(_ verbs.QP, wr *verbs.SendWR) {
			if wr.NumSGE == 0 || wr.SGList.Length != 64 {
				return
			}
			_, rkey := wr.RDMA()
			r.Lock()
			defer r.Unlock()
			r.keys[wr.SGList.LKey], r.remote[rkey], r.ops[wr.Opcode] = true, true, true
		},
	})
}

func registeredBy(t *testing.T, p option.Plan) *registered {
	t.Helper()
	r := &registered{keys: map[uint32]bool{}, remote: map[uint32]bool{}, ops: map[verbs.Opcode]bool{}}
	if _, errs := (pair{device: "shm_whole", plan: p, wrap: r.watch}).run(t); errs[0] != nil || errs[1] != nil {
		t.Fatal(errs)
	}
	return r
}

// With --mr_per_qp each QP has a memory region of its own on both sides, and the data is right.
func TestRegionForEachQP(t *testing.T) {
	for _, op := range allOps {
		for _, verify := range []bool{false, true} { // with credits and without
			for _, own := range []bool{false, true} {
				p := testPlan(op, option.KindBandwidth, 64, 200)
				p.QPs, p.MRPerQP, p.Verify = 3, own, verify
				r := registeredBy(t, p)
				want := 1
				if own {
					want = 3
				}
				if len(r.keys) != want || op != option.OpSend && len(r.remote) != want {
					t.Errorf("%s, own %v: messages named %d regions here and %d there, want %d", op, own, len(r.keys), len(r.remote), want)
				}
			}
		}
	}
}

// With --odp all memory of both sides is registered for on-demand paging.
func TestOnDemandPaging(t *testing.T) {
	for _, odp := range []bool{false, true} {
		p := testPlan(option.OpWrite, option.KindBandwidth, 64, 100)
		p.ODP = odp
		r := registeredBy(t, p)
		for _, access := range r.access {
			if (access&verbs.AccessOnDemand != 0) != odp {
				t.Errorf("--odp %v: access %s", odp, access)
			}
		}
		if len(r.access) < 2 {
			t.Errorf("%d regions of two sides", len(r.access))
		}
	}
}

// With immediate data the opcode is WRITE_WITH_IMM or SEND_WITH_IMM, in the modes that poll
// completions.
func TestImmediateData(t *testing.T) {
	for _, kind := range allKinds {
		for _, mode := range []option.Mode{option.ModePoll, option.ModeAdaptive, option.ModeEvent} {
			for _, c := range []struct {
				op  option.Op
				set func(*option.Plan)
				is  verbs.Opcode
			}{
				{option.OpWrite, func(p *option.Plan) { p.WriteWithImm = true }, verbs.OpRDMAWriteWithImm},
				{option.OpSend, func(p *option.Plan) { p.SendWithImm = true }, verbs.OpSendWithImm},
			} {
				p := testPlan(c.op, kind, 64, 300)
				p.Completion = mode
				c.set(&p)
				if r := registeredBy(t, p); len(r.ops) != 1 || !r.ops[c.is] {
					t.Errorf("%s_%s, mode %s: messages were sent by %v, want %v", c.op, kind, mode, r.ops, c.is)
				}
			}
		}
	}
}

// The messages carry the bytes of the payload file to the peer.
func TestMessagesCarryThePayload(t *testing.T) {
	payload := []byte{0xef, 0xbe, 0xad, 0xde, 1, 2, 3}
	for _, op := range allOps {
		var arrived []byte
		var memory uint64
		p := testPlan(op, option.KindBandwidth, len(payload), 300)
		p.Completion, p.Touch = option.ModePoll, option.TouchRead
		sender := 0
		if op == option.OpRead {
			sender = 1 // whose memory is read
		}
		pair := pair{device: "shm_whole", plan: p,
			config: func(side int, c *Config) {
				if side == sender {
					c.Payload = payload
				}
			},
			wrap: func(side int, c verbs.Context) verbs.Context {
				if side == sender {
					return c
				}
				return testdevice.Context(c, testdevice.Options{OnRegMR: func(mr verbs.MR, _ verbs.Access) { memory = mr.Addr() }})
			},
			row: func(result.Row) { arrived = bytesAt(memory, len(payload)) },
		}
		if _, errs := pair.run(t); errs[0] != nil || errs[1] != nil {
			t.Fatal(errs)
		}
		if !bytes.Equal(arrived, payload) {
			t.Errorf("%s: the peer's memory holds %x, want %x", op, arrived, payload)
		}
	}
}
