package cli

import (
	"context"
	"fmt"
	"os"
	"slices"
	"strings"

	"github.com/ibperf/ibperf/harness"
	"github.com/ibperf/ibperf/oob"
	"github.com/ibperf/ibperf/oob/perftest"
	"github.com/ibperf/ibperf/option"
	"github.com/ibperf/ibperf/result"
	"github.com/ibperf/ibperf/verbs"
)

// connection is the connection of a run with either kind of peer.
type connection interface {
	RemoteAddr() string
	LocalAddr() string
	Authenticated() bool
	Abort(class, reason string)
	Close() error
}

func (s *peerSession) channel() connection {
	if s.perftest != nil {
		return s.perftest
	}
	return s.conn
}

// peer returns the other side, as the engine sees it.
func (s *peerSession) peer() oob.Peer {
	if s.perftest != nil {
		return s.perftest
	}
	return oob.NewPeer(s.conn)
}

// agreeWithServer makes the plan of a run whose server is perftest.
func (s *peerSession) agreeWithServer(context.Context) error {
	opening, err := s.openPerftest()
	if err != nil {
		return err
	}
	return s.planWithPerftest(s.options, opening)
}

// agreeWithClient makes the plan of a run whose client is perftest: by the client's options if its version sends
// them, else by the server's own.
func (s *peerSession) agreeWithClient() error {
	chosen, err := chooseServer(&s.options.Own, []oob.DeviceID{{}}, addrOf(s.channel().LocalAddr()))
	if err != nil {
		return err
	}
	if s.devices, err = openAll(&s.options.Own, chosen); err != nil {
		return err
	}
	opening, err := s.openPerftest()
	if err != nil {
		return err
	}
	all := s.options
	if s.perftest.HasPlan() {
		if all, err = s.mergePlan(); err != nil {
			return err
		}
	}
	if err := s.planWithPerftest(all, opening); err != nil {
		return err
	}
	if err := s.admit(); err != nil {
		return err
	}
	s.announceRun(s.plan.Plan().Program(), nil)
	s.choice = chosen[0].why
	return nil
}

// perftestPeer describes the peer in the result file if it is perftest.
func (s *peerSession) perftestPeer() *result.PerftestPeer {
	if s.perftest == nil {
		return nil
	}
	plan := s.plan.Plan()
	p := &result.PerftestPeer{Version: s.perftest.Version, Options: result.WhoseLocal, Figures: figuresBesidePerftest(s.role, &plan)}
	if s.perftest.HasPlan() {
		p.Options = result.WhosePeer
	}
	return p
}

// figuresBesidePerftest returns the side whose figures the rows of a run with perftest have. perftest's client sends its figures of bandwidth, as its
// server cannot measure WRITEs, READs and atomic operations, and none of latency.
func figuresBesidePerftest(role harness.Role, p *option.Plan) result.Whose {
	switch {
	case p.Both:
		return result.WhoseBoth
	case role == harness.Client || p.Op == option.OpSend:
		return result.WhoseLocal
	case p.Bandwidth():
		return result.WhosePeer
	case p.Fetches():
		return result.WhoseNone
	}
	return result.WhoseLocal
}

// openPerftest exchanges what both sides need before a test.
func (s *peerSession) openPerftest() (perftest.Opening, error) {
	if len(s.devices) > 1 {
		return perftest.Opening{}, conflict("--ib-dev: the server is perftest, which has one device: name one")
	}
	port, err := s.devices[0].Context.QueryPort(s.devices[0].Port)
	if err != nil {
		return perftest.Opening{}, &harness.DeviceError{Err: err}
	}
	mtu := port.ActiveMTU
	if want := s.options.MTU; want > 0 {
		for mtu > verbs.MTU256 && mtu.Bytes() > want {
			mtu--
		}
	}
	return s.perftest.Open(perftest.Opening{Cycle: os.Getpagesize(), Line: cacheLine, MTU: mtu})
}

// cacheLine is the size of a cache line that perftest learns, in bytes: the usual one, as the larger of both sides counts.
const cacheLine = 64

// mergePlan returns the client's options, together with those that only the server was given.
func (s *peerSession) mergePlan() (*options, error) {
	t, given, err := s.perftest.ReceivePlan()
	if err != nil {
		return nil, err
	}
	client := &options{Settings: option.New(t)}
	for _, o := range given {
		known := option.Find(o.Name)
		if err := known.Set(&client.Settings, o.Value); err != nil {
			return nil, &peerFault{fmt.Errorf("perftest's --%s %s: %w", o.Name, o.Value, err)}
		}
		client.given = append(client.given, o.Name)
	}
	plan, _, err := merge(client, s.options)
	if err != nil {
		return nil, err
	}
	all := *s.options
	all.Plan, all.given = plan, slices.Concat(client.given, s.options.given)
	return &all, nil
}

// withPerftest holds the agreed options that a run with perftest can have. perftest has them too, or they concern this
// side's posts and polls alone.
var withPerftest = []string{
	"size", "all", "iters", "duration", "qp", "bidirectional", "connection", "atomic_type", "outs", "mtu", "tx-depth", "rx-depth",
	"cq-mod", "inline_size", "post_list", "recv_post_list", "cqe_poll", "noPeak", "margin", "completion", "events", "force-data",
	"sl", "tclass", "qp-timeout", "retry_count", "flow_label", "ipv6", "gid-index", "no_lock", "mr_per_qp", "disable_pcie_relaxed",
	"no_enhanced_reorder", "use_old_post_send", "odp", "use_hugepages", "spin",
}

// planWithPerftest resolves the plan of a run with perftest.
func (s *peerSession) planWithPerftest(all *options, o perftest.Opening) error {
	var refused []string
	for _, name := range all.given {
		if !slices.Contains(withPerftest, name) {
			refused = append(refused, "--"+name)
		}
	}
	plan, test := all.Plan, all.Test
	data := plan.Completion == option.ModeData || plan.Completion == option.ModeAuto
	if plan.Completion == option.ModeCounter || data && test != (option.Test{Op: option.OpWrite, Kind: option.KindLatency}) {
		refused = append(refused, "--completion "+string(plan.Completion))
	}
	if plan.Transport != option.RC && plan.Transport != option.UC && plan.Transport != option.UD {
		refused = append(refused, "--connection "+string(plan.Transport))
	}
	if plan.Duration > 0 && plan.Op == option.OpSend {
		switch {
		case plan.Both:
			refused = append(refused, "--duration with --bidirectional")
		case plan.Transport != option.RC:
			refused = append(refused, "--duration over "+string(plan.Transport))
		}
	}
	if len(refused) > 0 {
		return conflict(fmt.Sprintf("the peer is perftest %s, with which there is no %s: leave it out, or run ibperf on both sides",
			s.perftest.Version, strings.Join(refused, ", ")))
	}
	if alone := s.role == harness.Server && !plan.Both && plan.Op != option.OpSend && (plan.Bandwidth() || plan.Fetches()); alone {
		plan.Sizes = plan.Sizes[len(plan.Sizes)-1:] // perftest's server sees nothing of the others
	}
	if plan.Transport == option.UD {
		if err := plan.Fit(o.MTU.Bytes()); err != nil {
			return conflict(err.Error())
		}
	}
	plan.Perftest = &option.Perftest{Version: s.perftest.Version, Cycle: o.Cycle, Server: s.role == harness.Client}
	var err error
	if s.plan, err = resolve(plan, all, nil); err != nil {
		return err
	}
	s.perftest.Agree(s.plan, s.options.Own.Gbits)
	return nil
}
