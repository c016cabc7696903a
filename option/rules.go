package option

import (
	"errors"
	"fmt"
	"slices"
)

// Check returns an error about the plan that names the options, see [Settings.Check].
func (p *Plan) Check() error {
	s := Settings{Plan: *p, Own: New(p.Test).Own}
	return s.Check()
}

// Check returns an error about values of the plan out of their range, options that the test does
// not have, or options that cannot be given together.
func (s *Settings) Check() error {
	if _, ok := TestOf(s.Program()); !ok {
		return fmt.Errorf("unknown test %.40q", s.Program())
	}
	for _, o := range AgreedOptions() {
		if err := o.value.check(s); err != nil {
			return fmt.Errorf("%s: %w", o.Written(s), err)
		}
		if !o.In(s.Test) && o.IsSet(s) {
			return fmt.Errorf("%s: %s does not have this option", o.Written(s), s.Program())
		}
	}
	return s.checkTogether()
}

func (s Settings) checkTogether() error {
	for _, o := range table {
		for _, e := range o.Excludes {
			if other := Find(e.Name); o.isGiven(&s) && other.isGiven(&s) {
				return fmt.Errorf("--%s and --%s exclude each other: %s", o.Name, e.Name, e.Why)
			}
		}
	}
	s.Plan = s.Plan.implied()
	if err := s.checkTransport(); err != nil {
		return err
	}
	if why := s.NoData(); why != "" {
		switch {
		case s.Completion == ModeData:
			return fmt.Errorf("--completion data: %s; use poll, adaptive or event", why)
		case slices.Contains(s.Also, VariantLook):
			return fmt.Errorf("--also look needs mode data: %s", why)
		}
	}
	if why := s.NoCounter(); why != "" && s.Completion == ModeCounter {
		return fmt.Errorf("--completion counter: %s; use data, poll, adaptive or event", why)
	}
	if err := s.checkGPU(); err != nil {
		return err
	}
	if err := s.checkTPH(); err != nil {
		return err
	}
	for _, r := range rules {
		if r.broken(&s) {
			return errors.New(r.text)
		}
	}
	return nil
}

// rules are the combinations that are not possible, in addition to the table's exclusions.
var rules = []struct {
	broken func(s *Settings) bool
	text   string
}{
	{
		func(s *Settings) bool { return s.Devices > 1 && s.Compare },
		"--ib-dev: a comparison runs on one device: name one, or leave --compare out",
	}, {
		func(s *Settings) bool { return s.Devices > 1 && s.RDMACM },
		"--ib-dev: rdma_cm chooses one device by the server's address: name one, or leave --rdma_cm out",
	}, {
		func(s *Settings) bool { return s.Devices > 1 && s.Multicast },
		"--ib-dev: --mcg runs on one device: name one",
	}, {
		func(s *Settings) bool { return s.Endless && len(s.Sizes) > 1 },
		"--run_infinitely needs one size: give --size one value",
	}, {
		func(s *Settings) bool { return s.marginIsCut() && s.Duration <= 2*s.Margin },
		"--duration must be longer than twice --margin, which it includes at both ends",
	}, {
		func(s *Settings) bool {
			return s.Compare && s.Completion != ModeDefault && s.Completion != ModeAuto
		},
		"--compare runs every completion mode: leave --completion and --events out",
	}, {
		func(s *Settings) bool {
			return s.Spin != Defaults(s.Test).Spin && !s.Compare && s.Completion != ModeAdaptive
		},
		"--spin says when mode adaptive sleeps: it needs --completion adaptive or --compare",
	}, {
		func(s *Settings) bool {
			return s.Own.Output != "" && (s.Own.Output == OutputLatency) == s.Bandwidth()
		},
		"--output: bandwidth tests print bandwidth or message_rate, latency tests print latency",
	}, {
		func(s *Settings) bool { return s.Own.FormatFile != "" && s.Own.Format == "" },
		"--format_file needs --format",
	}, {
		func(s *Settings) bool { return s.NoPeak && s.limitsPercentile() },
		"--max-lat: with --noPeak only the mean is measured; give it mean=TIME, or leave --noPeak out",
	}, {
		func(s *Settings) bool { return len(s.Also) > 0 && !s.Compare },
		"--also adds rows to a comparison: it needs --compare",
	}, {
		func(s *Settings) bool {
			return slices.Contains(s.Also, VariantFlag) && (s.Op != OpWrite || s.WriteWithImm)
		},
		"--also flag measures a WRITE and the WRITE of its flag: it needs ib_write_lat or ib_write_bw, without --write_with_imm",
	}, {
		func(s *Settings) bool {
			return slices.Contains(s.Also, VariantFlag) && (s.Transport.Lossy() || s.Transport.Unordered())
		},
		"--also flag needs a transport that loses and reorders nothing: --connection RC or XRC",
	}, {
		func(s *Settings) bool {
			return s.Routing == RoutingAdaptive && s.Op == OpWrite && s.Transport != RC
		},
		"--adaptive-routing yes sends the completion of a WRITE as a second request, which only over RC never arrives without the data: use --connection RC",
	}, {
		func(s *Settings) bool {
			return s.Routing == RoutingAdaptive && slices.Contains(s.Also, VariantFlag)
		},
		"--also flag and --adaptive-routing yes exclude each other: both send a second request behind each WRITE",
	}, {
		func(s *Settings) bool {
			return s.Completion == ModeData && s.WriteWithImm && s.Transport == XRC
		},
		"--completion data with --write_with_imm needs a receive queue of each QP: use --connection RC or UC, or --completion poll",
	}, {
		func(s *Settings) bool { return s.Precision > 0 && !s.Compare },
		"--precision applies to the ratios of a comparison: it needs --compare",
	}, {
		func(s *Settings) bool { return s.Multicast && s.QPs != 1 },
		"--mcg runs on one QP: leave --qp and --threads out",
	}, {
		func(s *Settings) bool { return s.MGID != "" && !s.Multicast },
		"--MGID names a multicast group: it needs --mcg",
	}, {
		func(s *Settings) bool { return s.TOS >= 0 && !s.RDMACM },
		"--tos needs --rdma_cm, which sets it; without --rdma_cm use --tclass",
	}, {
		func(s *Settings) bool { return s.Touch == TouchWrite && s.Verify },
		"--touch write and --verify exclude each other: --verify would report the written bytes as wrong",
	}, {
		func(s *Settings) bool { return s.DisablePCIeRelaxed && slices.Contains(s.Also, VariantRelaxed) },
		"--also relaxed and --disable_pcie_relaxed exclude each other",
	}, {
		func(s *Settings) bool { return slices.Contains(s.Also, VariantOOO) && !s.MayReorder() },
		"--also ooo needs RC QPs by mlx5dv_create_qp: leave --connection, --rdma_cm, --use_old_post_send and --no_enhanced_reorder out",
	}, {
		func(s *Settings) bool {
			return s.Fetches() && s.Bandwidth() && slices.Contains(s.Also, VariantLook)
		},
		"--also look is not possible here: mode data polls the CQ already when READs are in flight",
	}, {
		func(s *Settings) bool { return s.Fetches() && !s.Bandwidth() && s.QPs != s.Threads },
		"--qp: latency tests of READ and atomic operations run on one QP for each thread",
	}, {
		func(s *Settings) bool { return s.OpenLoop() && (s.Transport.Lossy() || s.Transport.Unordered()) },
		"--rate_limit: latency tests with a rate need a transport that loses and reorders nothing: --connection RC or XRC",
	}, {
		func(s *Settings) bool {
			return s.OpenLoop() && s.Fetches() && (s.Completion == ModeEvent || s.Completion == ModeAdaptive)
		},
		"--rate_limit: the client of READ and atomic operations keeps the rate and waits for completions, so it never sleeps: use --completion poll",
	}, {
		func(s *Settings) bool {
			return s.rateIs(func(perSecond float64) bool { return perSecond < 1.0/3600 || perSecond > 1e12 })
		},
		"--rate_limit: possible are one message per hour to 10^12 messages per second",
	}, {
		func(s *Settings) bool {
			return s.OpenLoop() && !s.Compare && s.Duration > 0 && s.rateIs(func(perSecond float64) bool { return perSecond*s.Duration.Seconds() < 1 })
		},
		"--duration: no message is due within it at the rate of --rate_limit: give a longer time or --iters",
	}, {
		func(s *Settings) bool {
			// A signal is noticed after each 250 ms, or after the message that is due next.
			return s.OpenLoop() && s.Endless && s.rateIs(func(perSecond float64) bool { return perSecond < 4 })
		},
		"--run_infinitely: a latency test with --rate_limit needs at least 4 messages per second",
	}, {
		func(s *Settings) bool { return s.Arrivals != ArrivalsConstant && !s.OpenLoop() },
		"--arrivals says when the messages of --rate_limit are due: it needs --rate_limit",
	}, {
		func(s *Settings) bool { return s.Atomic() && !slices.Equal(s.Sizes, []int{AtomicBytes}) },
		"--size: an atomic operation has 8 bytes",
	}, {
		func(s *Settings) bool { return s.Atomic() && s.Offset%AtomicBytes != 0 },
		"--offset: the address of an atomic operation is a multiple of 8",
	},
}
