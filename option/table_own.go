package option

import (
	"errors"
	"math"
	"strings"
	"time"
)

// The groups of help texts, in their order.
const (
	groupConnection = "Connection"
	groupDevice     = "Device (each side's own)"
	groupWork       = "Test (given on one side, or the same on both)"
	groupCompletion = "Completion (given on one side, or the same on both)"
	groupComparison = "Comparison (given on one side, or the same on both)"
	groupOutput     = "Output (each side's own)"
)

const same = "same"

var connectionOptions = []*Option{
	{
		Name: "port", Letter: "p", Argument: "N", Group: groupConnection, Whose: Each,
		Help:     "TCP port of the server; 0 on the server: any free port, which it prints",
		Perftest: same,
		value:    number(func(s *Settings) *int { return &s.Own.Port }, 0, math.MaxUint16),
	}, {
		Name: "bind_source_ip", Argument: "ADDR", Group: groupConnection, Whose: Each,
		Help: "local address of the control connection: the server listens at it only", Default: "any",
		Perftest: same,
		value:    text(func(s *Settings) *string { return &s.Own.Source }, parseAddress),
	}, {
		Name: "source_ip", Argument: "ADDR", Group: groupConnection, Whose: Each, As: "bind_source_ip",
		Help:     "the same as --bind_source_ip",
		Perftest: "as perftest 6.06 has it; in later releases it is --bind_source_ip, and this an option of raw_ethernet programs",
		value:    text(func(s *Settings) *string { return &s.Own.Source }, parseAddress),
	}, {
		Name: "connect-timeout", Argument: "TIME", Group: groupConnection, Whose: Client,
		Help:  "try for so long to reach the server, in seconds or with a unit",
		value: duration(func(s *Settings) *time.Duration { return &s.Own.ConnectTimeout }, time.Second, 0, MaxTime),
	}, {
		Name: "persistent", Group: groupConnection, Whose: Server,
		Help:  "serve clients until stopped, also several at a time",
		value: toggle(func(s *Settings) *bool { return &s.Own.Persistent }),
	}, {
		Name: "ready-file", Argument: "PATH", Group: groupConnection, Whose: Server,
		Help:  "write the port number to this file while the server listens",
		value: text(func(s *Settings) *string { return &s.Own.ReadyFile }, nil),
	}, {
		Name: "secret-file", Argument: "PATH", Group: groupConnection, Whose: Each,
		Help: "a file with a secret that the other side must have too: strangers cannot run tests; nothing is encrypted", Default: "open to all",
		value: text(func(s *Settings) *string { return &s.Own.SecretFile }, nil),
	}, {
		Name: "max-memory", Argument: "SIZE", Group: groupConnection, Whose: Server,
		Help: "memory that the runs of all clients together may take, as 512M or 2G", Default: "half of the machine's",
		value: sizeOf(func(s *Settings) *int { return &s.Own.MaxMemory }),
	}, {
		Name: "max-qp", Argument: "N", Group: groupConnection, Whose: Server,
		Help:  "QPs that the runs of all clients together may have",
		value: number(func(s *Settings) *int { return &s.Own.MaxQPs }, 1, math.MaxInt32),
	}, {
		Name: "max-time", Argument: "TIME", Group: groupConnection, Whose: Server,
		Help: "end a client's run after so long, in seconds or with a unit", Default: "1000 hours",
		value: duration(func(s *Settings) *time.Duration { return &s.Own.MaxTime }, time.Second, time.Second, MaxTime),
	},
}

var deviceOptions = []*Option{
	{
		Name: "ib-dev", Letter: "d", Argument: "NAME", Group: groupDevice, Whose: Each,
		Help:     "RDMA device; ib_caps lists them; embedded ones that shuffle take a seed, shm_unordered:seed=7",
		Default:  "the environment variable " + DeviceVariable + ", else the first RDMA device whose port is active, preferably with the address of the control connection; a server takes the embedded device of a client before either",
		Perftest: "by default the environment variable " + DeviceVariable + ", else the first device whose port is active, preferably with the address of the control connection, not the first of the list",
		value:    text(func(s *Settings) *string { return &s.Own.Device }, nil),
	}, {
		Name: "ib-port", Letter: "i", Argument: "N", Group: groupDevice, Whose: Each,
		Help: "port of the device", Perftest: same,
		value: number(func(s *Settings) *int { return &s.Own.IBPort }, 1, math.MaxUint8),
	}, {
		Name: "gid-index", Letter: "x", Argument: "N", Group: groupDevice, Whose: Each,
		Help:     "index into the port's GID table; the other side takes a GID of the same kind",
		Default:  "one of a kind that both have, RoCE v2 first",
		Perftest: "indexes up to 255; by default both sides take GIDs of one kind; with --rdma_cm, which chooses by the address, a warning says where it is another",
		value:    numberOr(func(s *Settings) *int { return &s.Own.GIDIndex }, -1, 0, math.MaxUint8),
	}, {
		Name: "pin_cores", Argument: "CPUS", Group: groupDevice, Whose: Each,
		Help:     "CPUs of this process, such as 3,0-1: the measuring thread is kept on the first, all other threads on the rest, if there is one",
		Default:  "any; a comparison takes CPUs of its own for the measuring threads",
		Perftest: "the first is the measuring thread's alone, if there are more",
		value:    of[[]int]{at: func(s *Settings) *[]int { return &s.Own.PinCores }, parse: ParseCPUs, show: joined},
	},
}

// noTest has options that ib_compare or ib_conform alone has.
func noTest(Test) bool { return false }

func legalBundle(name string) error {
	if !strings.HasSuffix(name, ".tar.gz") && !strings.HasSuffix(name, ".tgz") {
		return errors.New("the file is a .tar.gz, name it so")
	}
	return nil
}

// sizeOf is a size of memory, not set while it is 0.
func sizeOf(at func(*Settings) *int) value {
	v := numberOr(at, 0, 0, math.MaxInt).(of[int])
	v.parse = parseSize
	v.legal = func(n int) error {
		if n < 1<<20 {
			return errors.New("1M at least")
		}
		return nil
	}
	return v
}
