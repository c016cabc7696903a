package harness

import (
	"context"
	"errors"
	"fmt"
	"net/netip"
	"slices"

	"github.com/ibperf/ibperf/internal/stats"
	"github.com/ibperf/ibperf/reports/result"
	"github.com/ibperf/ibperf/verbs"
)

// Role tells the sides apart: the client sends first in latency tests, and is
// the sender or reader of bandwidth tests.
type Role string

// The roles.
const (
	Client Role = "client"
	Server Role = "server"
)

// Config is one side of a run.
type Config struct {
	Plan      Plan
	Role      Role
	Context   verbs.Context // opened device, used by this run alone
	Port      int           // device port, from 1
	GIDIndex  int           // -1: chosen by both sides together
	Exchanger Exchanger
	PeerIP    netip.Addr // of the Exchanger's peer, if known: GIDs of its kind are preferred

	// File is filled by the run: Parameters, Local.Device, Local.Order, Peer,
	// Warnings, Interrupted, Rows. The caller fills the rest before.
	File *result.File
	// Begin is called once, when all of File but Rows is known.
	Begin func()
	// Row is called for each row, after it was added to File.Rows.
	Row func(result.Row)
}

// session is a run under way.
type session struct {
	cfg     *Config
	rig     *rig
	gate    gate
	halt    *halt
	samples *stats.Samples // nil in bandwidth tests
	rate    *stats.Rate
	sendWCs []verbs.WC
	recvWCs []verbs.WC
}

// Run runs one side of the plan. When ctx ends, the run stops within a fraction
// of a second with File.Interrupted set and returns ErrInterrupted; what was
// measured until then is in File. Errors are of the types in errors.go, or an
// error of the Exchanger when the peer was lost.
func Run(ctx context.Context, c Config) error {
	s := &session{cfg: &c, halt: newHalt(), rate: stats.NewRate()}
	if c.Plan.Kind == result.KindLatency {
		s.samples = stats.NewSamples()
	}
	stop := s.halt.watch(ctx, c.Exchanger)
	defer stop()
	err := s.run()
	if s.halt.reason() == nil {
		err = s.cause(err)
	}
	// A halt explains what it broke off.
	if reason := s.halt.reason(); err != nil && reason != nil && !isVerdict(err) {
		err = reason
	}
	if errors.Is(err, ErrInterrupted) {
		c.File.Interrupted = true
	}
	return err
}

// isVerdict tells an outcome of the run's own from a failure on the way.
func isVerdict(err error) bool {
	var refused *RefusedError
	var data *DataError
	var ports mismatch
	return errors.As(err, &refused) || errors.As(err, &data) || errors.As(err, &ports)
}

func (s *session) run() (err error) {
	if s.rig, err = newRig(s.cfg); err != nil {
		return err
	}
	defer s.rig.close()
	defer s.listen()()
	if err := s.allocate(); err != nil {
		return err
	}
	defer s.free()
	if err := s.meet(); err != nil {
		return err
	}
	s.cfg.Begin()
	for _, size := range s.cfg.Plan.Sizes {
		for _, mode := range s.gate.modes {
			if err := s.measure(size, mode); err != nil {
				return err
			}
		}
	}
	if err := barrier(s.cfg.Exchanger, "end"); err != nil {
		return err
	}
	return s.verdict()
}

const wcBatch = 64

func (s *session) allocate() (err error) {
	if s.sendWCs, err = verbs.Make[verbs.WC](wcBatch); err != nil {
		return err
	}
	if s.recvWCs, err = verbs.Make[verbs.WC](wcBatch); err != nil {
		verbs.Free(s.sendWCs)
	}
	return err
}

func (s *session) free() {
	verbs.Free(s.sendWCs)
	verbs.Free(s.recvWCs)
}

// meet agrees on addresses, connects the QPs, asks both devices about data
// order, and decides how completions are to be learned of.
func (s *session) meet() error {
	x := s.cfg.Exchanger
	peerOffer, err := swap(x, "port", s.rig.offer)
	if err != nil {
		return err
	}
	if s.cfg.Plan.RDMACM {
		s.rig.gid.Index = -1 // rdma_cm chooses
	} else if s.rig.gid, err = agreeGID(s.rig.offer, peerOffer, s.rig.gids); err != nil {
		return err
	}
	mine := s.rig.endpoints()
	theirs, err := swap(x, "endpoints", mine)
	if err != nil {
		return err
	}
	connect := s.rig.connect
	if s.cfg.Plan.RDMACM {
		connect = s.connectCM
	}
	if err := connect(mine, theirs); err != nil {
		return err
	}
	answer, err := s.rig.answer()
	if err != nil {
		return err
	}
	peer, err := swap(x, "answer", answer) // also: both sides are in RTS
	if err != nil {
		return err
	}
	if err := peer.check(); err != nil {
		return err
	}
	f := s.cfg.File
	f.Local, f.Peer = answer.Side, peer.Side
	if s.gate, err = newGate(&s.cfg.Plan, s.cfg.Role, answer, peer); err != nil {
		return err
	}
	f.Parameters = s.parameters(min(mine[0].MTU, theirs[0].MTU))
	f.Warnings = append(f.Warnings, runWarnings(&s.cfg.Plan, s.gate, answer.Side, peer.Side)...)
	return nil
}

func (s *session) parameters(mtu verbs.MTU) result.Parameters {
	p := &s.cfg.Plan
	r := result.Parameters{
		Transport: verbs.QPTypeRC.String(), Completion: string(p.Completion), Sizes: p.Sizes,
		Iterations: p.Iterations, QPs: p.QPs, TxDepth: p.TxDepth, RxDepth: p.RxDepth,
		CQMod: p.CQMod, Inline: s.rig.inline, Offset: p.Offset, MTU: mtu.Bytes(),
		RDMACM: p.RDMACM, Verify: p.Verify, NoPeak: p.NoPeak, ForceData: p.ForceData, Relaxed: slices.ContainsFunc(s.gate.modes, p.relaxes),
	}
	if p.Compare {
		r.Completion = "compare"
	}
	if p.Duration > 0 {
		r.Iterations, r.DurationS = 0, p.Duration.Seconds()
	}
	if p.Kind == result.KindBandwidth {
		m := newMeasurement(s, p.Sizes[0], s.gate.modes[0])
		r.CQMod = int(m.every(slots(p, p.Sizes[0]))) // of the first size; rows have their own
	}
	for _, m := range s.gate.modes {
		r.Modes = append(r.Modes, string(m))
	}
	return r
}

// verdict is the run's outcome once everything was measured.
func (s *session) verdict() error {
	var bad []result.Row
	for _, r := range s.cfg.File.Rows {
		if r.Verify != nil && r.Verify.Bad() > 0 {
			bad = append(bad, r)
		}
	}
	if len(bad) > 0 {
		return &DataError{Rows: bad}
	}
	return nil
}

// addRow hands a finished row out.
func (s *session) addRow(r result.Row) {
	s.cfg.File.Rows = append(s.cfg.File.Rows, r)
	s.cfg.Row(r)
}

// step names a step of the exchange for one row.
func (m *measurement) step(name string) string { return fmt.Sprintf("%s-%d-%s", name, m.size, m.mode) }
