package option

import (
	"errors"
	"fmt"
	"slices"
)

// Check returns what is wrong with the plan, in the words of the options, see
// [Settings.Check].
func (p *Plan) Check() error {
	s := Settings{Plan: *p, Own: New(p.Test).Own}
	return s.Check()
}

// Check returns what is wrong with the settings: values of the plan out of their range,
// options that the test does not have, and those that do not go together.
func (s *Settings) Check() error {
	if _, ok := TestOf(s.Program()); !ok {
		return fmt.Errorf("test %.40q is not known", s.Program())
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
			return fmt.Errorf("--completion data: %s; use poll or event", why)
		case slices.Contains(s.Also, AlsoLook):
			return fmt.Errorf("--also look is a row of mode data: %s", why)
		}
	}
	for _, r := range rules {
		if r.broken(&s) {
			return errors.New(r.text)
		}
	}
	return nil
}

// rules say what does not go together beside the table's exclusions.
var rules = []struct {
	broken func(s *Settings) bool
	text   string
}{
	{
		func(s *Settings) bool { return s.Endless && len(s.Sizes) > 1 },
		"--run_infinitely has one size: give --size one",
	}, {
		func(s *Settings) bool {
			return s.Compare && s.Completion != ModeDefault && s.Completion != ModeAuto
		},
		"--compare runs every completion mode: leave --completion and --events out",
	}, {
		func(s *Settings) bool {
			return s.Own.Output != "" && (s.Own.Output == OutputLatency) == s.Bandwidth()
		},
		"--output: bandwidth tests print bandwidth or message_rate, latency tests latency",
	}, {
		func(s *Settings) bool { return s.Own.FormatFile != "" && s.Own.Format == "" },
		"--format_file needs --format, which says what to write",
	}, {
		func(s *Settings) bool { return len(s.Also) > 0 && !s.Compare },
		"--also adds rows to a comparison: it needs --compare",
	}, {
		func(s *Settings) bool { return s.Precision > 0 && !s.Compare },
		"--precision is that of a comparison's ratios: it needs --compare",
	}, {
		func(s *Settings) bool { return s.Multicast && s.QPs != 1 },
		"--mcg has one QP: leave --qp out",
	}, {
		func(s *Settings) bool { return s.MGID != "" && !s.Multicast },
		"--MGID names a group to send to: it needs --mcg",
	}, {
		func(s *Settings) bool { return s.TOS >= 0 && !s.RDMACM },
		"--tos is for --rdma_cm, which makes packets have it; without that use --tclass",
	}, {
		func(s *Settings) bool { return s.Touch == TouchWrite && s.Verify },
		"--touch write and --verify exclude each other: what was written would be found wrong",
	}, {
		func(s *Settings) bool { return s.StrictPCIe && slices.Contains(s.Also, AlsoRelaxed) },
		"--also relaxed and --disable_pcie_relaxed exclude each other",
	}, {
		func(s *Settings) bool {
			return s.Fetches() && s.Bandwidth() && slices.Contains(s.Also, AlsoLook)
		},
		"--also look shows nothing here: READs in flight take looks at the CQ in mode data as it is",
	}, {
		func(s *Settings) bool { return s.Fetches() && !s.Bandwidth() && s.QPs != 1 },
		"--qp: a latency test of READ or of atomic operations has one QP: who posted knows on which one it is answered",
	}, {
		func(s *Settings) bool { return s.Atomic() && !slices.Equal(s.Sizes, []int{AtomicBytes}) },
		"--size: an atomic operation is on 8 bytes",
	}, {
		func(s *Settings) bool { return s.Atomic() && s.Offset%AtomicBytes != 0 },
		"--offset: an atomic operation is on 8 bytes at an address that is a multiple of 8",
	},
}
