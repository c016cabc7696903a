package option

import (
	"errors"
	"math"
	"strings"
	"time"
)

const same = "same"

var connectionOptions = []*Option{
	{
		Name: "port", Letter: "p", Argument: "N", Group: groupConnection, Scope: PerSide,
		Help:     "TCP port of the server; 0 on the server: any free port, which it prints",
		Perftest: same,
		value:    number(func(s *Settings) *int { return &s.Own.Port }, 0, math.MaxUint16),
	}, {
		Name: "bind_source_ip", Argument: "ADDR", Group: groupConnection, Scope: PerSide,
		Help: "local address of the control connection; the server listens only there", Default: "any",
		Perftest: same,
		value:    text(func(s *Settings) *string { return &s.Own.Source }, parseAddress),
	}, {
		Name: "source_ip", Argument: "ADDR", Group: groupConnection, Scope: PerSide, As: "bind_source_ip",
		Help:     "the same as --bind_source_ip",
		Perftest: "as in perftest 6.06; later releases have --bind_source_ip, and this is an option of raw_ethernet programs",
		value:    text(func(s *Settings) *string { return &s.Own.Source }, parseAddress),
	}, {
		Name: "connect-timeout", Argument: "TIME", Group: groupConnection, Scope: Client,
		Help: "try to reach the server for TIME, in seconds or with a unit; 0: once, as perftest's clients do", Default: "the environment variable " + ConnectVariable + ", else 10",
		value: duration(func(s *Settings) *time.Duration { return &s.Own.ConnectTimeout }, time.Second, 0, MaxTime),
	}, {
		Name: "persistent", Group: groupConnection, Scope: Server,
		Help:  "serve clients until stopped, several at a time",
		value: toggle(func(s *Settings) *bool { return &s.Own.Persistent }),
	}, {
		Name: "ready-file", Argument: "PATH", Group: groupConnection, Scope: Server,
		Help:  "write the port to this file once the server listens; remove it at exit",
		value: text(func(s *Settings) *string { return &s.Own.ReadyFile }, nil),
	}, {
		Name: "secret-file", Argument: "PATH", Group: groupConnection, Scope: PerSide,
		Help: "file with a secret that both sides share; a peer without it is refused; the control channel is encrypted", Default: "any peer may connect",
		value: text(func(s *Settings) *string { return &s.Own.SecretFile }, nil),
	}, {
		Name: "max-memory", Argument: "SIZE", Group: groupConnection, Scope: Server,
		Help: "memory for the runs of all clients together, such as 512M or 2G", Default: "half of the host's memory",
		value: sizeOf(func(s *Settings) *int { return &s.Own.MaxMemory }),
	}, {
		Name: "max-qp", Argument: "N", Group: groupConnection, Scope: Server,
		Help:  "number of QPs for the runs of all clients together",
		value: number(func(s *Settings) *int { return &s.Own.MaxQPs }, 1, math.MaxInt32),
	}, {
		Name: "max-time", Argument: "TIME", Group: groupConnection, Scope: Server,
		Help: "abort a client's run after TIME, in seconds or with a unit", Default: "24 hours",
		value: duration(func(s *Settings) *time.Duration { return &s.Own.MaxTime }, time.Second, time.Second, MaxTime),
	},
}

// deviceOption is the name of the option of devices, and oneDevice its help in programs that run on one at a time.
const (
	deviceOption = "ib-dev"
	oneDevice    = "RDMA device, as ib_caps lists it; a software device (shm_*) with random order takes a seed: shm_unordered:seed=7"
)

var deviceOptions = []*Option{
	{
		Name: deviceOption, Letter: "d", Argument: "NAME", Group: groupDevice, Scope: PerSide,
		Help:     oneDevice + "; NAME,NAME, or with ports NAME:PORT,NAME:PORT, measures several at the same time: each has the QPs and threads of the options and a row, and all have a row together; not in comparisons, ib_verify, multicast groups or with --rdma_cm",
		Default:  "the environment variable " + DeviceVariable + ", else the first RDMA device whose port is active, preferably with the address of the control connection; a server without -d also serves a client's embedded device, and takes as many RDMA devices as the client has, in the order of ib_caps",
		Perftest: "by default the environment variable " + DeviceVariable + ", else the first device whose port is active, preferably with the address of the control connection, not the first of the list; with several, NAME:1,NAME:2 is what perftest calls --dualport",
		value:    text(func(s *Settings) *string { return &s.Own.Device }, legalDevices),
	}, {
		Name: "ib-port", Letter: "i", Argument: "N", Group: groupDevice, Scope: PerSide,
		Help: "port of the device, or of each without one in --ib-dev", Perftest: same,
		value: number(func(s *Settings) *int { return &s.Own.IBPort }, 1, math.MaxUint8),
	}, {
		Name: "gid-index", Letter: "x", Argument: "N", Group: groupDevice, Scope: PerSide,
		Help:     "index into the port's GID table; the other side uses a GID of the same kind",
		Default:  "a kind that both sides have, RoCE v2 first",
		Perftest: "indexes up to 255; by default both sides use GIDs of the same kind; with --rdma_cm, which chooses by the address, a warning reports a different one",
		value:    numberOr(func(s *Settings) *int { return &s.Own.GIDIndex }, -1, 0, math.MaxUint8),
	}, {
		Name: "pin_cores", Argument: "CPUS", Group: groupDevice, Scope: PerSide,
		Help:     "CPUs of this process, such as 3,0-1: the measuring thread runs on the first, or N of --threads on the first N, and all other threads on the rest, if any",
		Default:  "any; a comparison reserves CPUs for the measuring threads",
		Perftest: "with several, only the measuring thread runs on the first",
		value:    valueOf[[]int]{at: func(s *Settings) *[]int { return &s.Own.PinCores }, parse: ParseCPUs, show: joined},
	}, {
		Name: "cpu-dma-latency", Argument: "USEC", Group: groupDevice, Scope: PerSide,
		Help:    "while the program runs, keep this host's CPUs out of idle states that take longer than USEC to leave; 0 keeps them awake; needs write access to /dev/cpu_dma_latency",
		Default: "the host's limit",
		value:   numberOr(func(s *Settings) *int { return &s.Own.CPULatency }, -1, 0, math.MaxInt32),
	},
}

// noTest reports whether a test has the option, which none has: ib_compare or ib_conform alone has it.
func noTest(Test) bool { return false }

func legalBundle(name string) error {
	if !strings.HasSuffix(name, ".tar.gz") && !strings.HasSuffix(name, ".tgz") {
		return errors.New("name a file that ends in .tar.gz or .tgz")
	}
	return nil
}

// sizeOf returns a value for a size of memory, where 0 is not set.
func sizeOf(at func(*Settings) *int) value {
	v := numberOr(at, 0, 0, math.MaxInt).(valueOf[int])
	v.parse = parseSize
	v.legal = func(n int) error {
		if n < 1<<20 {
			return errors.New("1M at least")
		}
		return nil
	}
	return v
}
