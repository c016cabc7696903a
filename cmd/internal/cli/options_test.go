package cli

import (
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/ibperf/ibperf/option"
)

var (
	writeLat = option.Test{Op: option.OpWrite, Kind: option.KindLatency}
	writeBW  = option.Test{Op: option.OpWrite, Kind: option.KindBandwidth}
	readLat  = option.Test{Op: option.OpRead, Kind: option.KindLatency}
)

func TestParseDefaults(t *testing.T) {
	o, err := parse(writeBW, nil)
	if err != nil {
		t.Fatal(err)
	}
	if w := o.Own; w.Port != 18515 || w.IBPort != 1 || w.GIDIndex != -1 || o.host != "" || w.ConnectTimeout != 10*time.Second || w.JSON {
		t.Errorf("defaults: %+v", o)
	}
	if !reflect.DeepEqual(o.Plan, option.Defaults(writeBW)) || o.given != nil {
		t.Errorf("plan %+v, given %v, want the defaults and nothing given", o.Plan, o.given)
	}
}

func TestParse(t *testing.T) {
	all := "-d mlx5_1 -i 2 -p 2000 -s 4K -n 100 -m 2048 -I 64 -t 7 -r 8 -q 9 -Q 10 " +
		"--offset 5 --completion event -e --verify --force-data -R -N --disable_pcie_relaxed --touch none --rounds 11 --runs 12 --report_gbits -F --connect-timeout 2.5 --out_json_file a.json node1"
	o, err := parse(writeBW, strings.Fields(all))
	if err != nil {
		t.Fatal(err)
	}
	p := option.Defaults(writeBW)
	p.Sizes, p.Iterations, p.MTU, p.Inline, p.Offset = []int{4096}, 100, 2048, 64, 5
	p.TxDepth, p.RxDepth, p.QPs, p.CQMod, p.Touch, p.Rounds, p.Runs = 7, 8, 9, 10, option.TouchNone, 11, 12
	p.Completion, p.Verify, p.ForceData, p.DisablePCIeRelaxed, p.RDMACM, p.NoPeak = option.ModeEvent, true, true, true, true, true
	want := &options{Settings: option.New(writeBW), host: "node1", given: o.given}
	want.Plan = p
	w := &want.Own
	w.Device, w.IBPort, w.Port, w.ConnectTimeout = "mlx5_1", 2, 2000, 2500*time.Millisecond
	w.Gbits, w.QuietCPU, w.JSON, w.JSONFile = true, true, true, "a.json"
	if want.resolved, err = want.Resolve(); err != nil {
		t.Fatal(err)
	}
	if !reflect.DeepEqual(o, want) {
		t.Errorf("got  %+v\nwant %+v", o, want)
	}
}

func TestParsePlans(t *testing.T) {
	for _, c := range []struct {
		args string
		has  func(*options) bool
	}{
		{"-a", func(o *options) bool { return len(o.Plan.Sizes) == 23 && o.Plan.Sizes[22] == 8<<20 }},
		{"-D 0.5", func(o *options) bool { return o.Plan.Duration == time.Second/2 && o.Plan.Iterations == 0 }},
		{"--duration=250ms", func(o *options) bool { return o.Plan.Duration == time.Second/4 }},
		{"-D 3d", func(o *options) bool { return o.Plan.Duration == 72*time.Hour }},
		{"-n 010", func(o *options) bool { return o.Plan.Iterations == 8 }}, // as C reads it
		{"-w 1 --limit_msgrate=2", func(o *options) bool { return len(o.ignored) == 2 && o.Own.LimitBW == 0 }},
		{"-n 4294967296", func(o *options) bool { return o.Plan.Iterations == 1<<32 }},
		{"-e", func(o *options) bool { return o.Plan.Completion == option.ModeEvent }},
		{"--out_json node1", func(o *options) bool { return o.resultFile(o.Test, 0) == "ib_write_lat.json" }},
		{"-s 8,1K,1G", func(o *options) bool { return reflect.DeepEqual(o.Plan.Sizes, []int{8, 1 << 10, 1 << 30}) }},
		{"-t 4 -q 1", func(o *options) bool { return o.Plan.TxDepth == 4 }},
		{"--bind_source_ip ::1 node1", func(o *options) bool { return o.Own.Source == "::1" }},
		{"--source_ip ::1 node1", func(o *options) bool { return o.Own.Source == "::1" }},
		{"--source_ip ::1 --bind_source_ip ::1 node1", func(o *options) bool { return o.Own.Source == "::1" }},
		{"--verify=false", func(o *options) bool { return !o.Plan.Verify }},
		{"-e --completion event", func(o *options) bool { return o.Plan.Completion == option.ModeEvent }},
		{"--compare --completion auto", func(o *options) bool { return o.Plan.Compare }},
		{"-s8 -n5 node1", func(o *options) bool { return o.Plan.Sizes[0] == 8 && o.host == "node1" }},
		{"node1 -s 8", func(o *options) bool { return o.Plan.Sizes[0] == 8 && o.host == "node1" }},
		{"::1", func(o *options) bool { return o.host == "::1" }},
		{"[fe80::1%eth0]", func(o *options) bool { return o.host == "fe80::1%eth0" }},
		{"--out_json", func(o *options) bool { return o.resultFile(o.Test, 0) == "ib_write_lat.server.json" }},
		{"--out_json_file x", func(o *options) bool { return o.Own.JSON && o.resultFile(o.Test, 0) == "x" }},
		{"-I 0", func(o *options) bool { return o.Plan.Inline == 0 }},
		{"-p 0 --persistent --ready-file r", func(o *options) bool { return o.Own.Port == 0 && o.Own.Persistent && o.Own.ReadyFile == "r" }},
		{"--bind_source_ip 127.0.0.1", func(o *options) bool { return o.Own.Source == "127.0.0.1" }},
		{"--connect-timeout 0 node1", func(o *options) bool { return o.Own.ConnectTimeout == 0 }},
		{"-h -s 8", func(o *options) bool { return o.Own.Help == option.ShortHelp }},
		{"-V", func(o *options) bool { return o.Own.Version }},
	} {
		o, err := parse(writeLat, strings.Fields(c.args))
		if err != nil || !c.has(o) {
			t.Errorf("%s: %+v, %v", c.args, o, err)
		}
	}
}

func TestParseRefuses(t *testing.T) {
	for args, want := range map[string]string{
		"-s 64k":                            "--size 64k: write 64K or 65536",
		"-s 0":                              "--size 0: message sizes are 1 to",
		"-s -1":                             "--size -1: ",
		"-s":                                "--size needs an argument",
		"--size=":                           `--size "": `,
		"-n 4":                              "--iters 4: 5 to 4294967296",
		"-n -1":                             "--iters -1: 5 to",
		"-n 99999999999999999999":           "5 to 4294967296",
		"-n ten":                            "--iters ten: write a whole number",
		"-n 1_000":                          "--iters 1_000: write a whole number",
		"-D 4 -f 2":                         "--duration must be longer than twice --margin",
		"-D 0":                              "--duration 0: 1ms to 1000h0m0s are possible",
		"-D -1":                             "1ms to",
		"-D NaN":                            "write seconds",
		"-D 1e30":                           "1ms to 1000h",
		"-D soon":                           "write seconds",
		"-m 1500":                           "--mtu 1500: choose 256, 512",
		"-m 0":                              "choose 256",
		"-I 1025":                           "--inline_size 1025: 0 to 1024",
		"-I -1":                             "0 to 1024",
		"-i 0":                              "--ib-port 0: 1 to 255",
		"-i 257":                            "1 to 255",
		"-x 256":                            "--gid-index 256: 0 to 255",
		"-p 65536":                          "--port 65536: 0 to 65535",
		"--offset 128":                      "--offset 128: 0 to 127",
		"--completion spin":                 "--completion spin: choose auto, data, poll, counter, adaptive or event",
		"-e --completion poll":              "--events and --completion exclude each other",
		"-e --completion auto":              "--events and --completion exclude",
		"--compare -e":                      "--compare runs every completion mode",
		"--compare --completion data":       "--compare runs every completion mode",
		"a b":                               "one server at most: a b",
		"node1:18515":                       "its port with -p",
		"-p 0 node1":                        "--port 0 is for the server",
		"--persistent node1":                "--persistent is an option of the server",
		"--ready-file r node1":              "--ready-file is an option of the server",
		"--connect-timeout 1":               "--connect-timeout is an option of the client",
		"-- --help":                         `server "--help": write a host name`,
		"-s 2G":                             "--size 2G: message sizes are 1 to 2147483647 bytes",
		"-s 8,":                             "--size 8,: write bytes",
		"--verify=2":                        "--verify 2: it takes no argument",
		"-a=false -s 8":                     "--all false: leave it out",
		"--bind_source_ip eth0":             "--bind_source_ip eth0: write an IPv4",
		"--source_ip eth0":                  "--source_ip eth0: write an IPv4",
		"--source_ip ::1 --bind ::":         "--source_ip and --bind_source_ip exclude each other",
		"--ib-dev= node1":                   `--ib-dev "": must not be empty`,
		"--itres 5":                         "unknown option --itres (did you mean --iters?); see --help",
		"--ib_devs x":                       "did you mean --ib-dev?",
		"--dur":                             "--duration needs an argument",
		"--rep":                             "option --rep is ambiguous: it may be --report_gbits, --report-both, --report-histogrm, --report-unsorted, --report-cycles, --report-counters, --report-per-port",
		"--roun":                            "--rounds needs an argument",
		"--use_cuda_p 1":                    "option --use_cuda_p of perftest (--use_cuda_pcie_mapping): of NVIDIA GPUs only",
		"--dualp":                           "option --dualp of perftest (--dualport): name both ports",
		"--rate-l 1":                        "option --rate-l is ambiguous: it may be --rate_limit, --rate_limit_type",
		"--arrivals poisson":                "--arrivals says when the messages of --rate_limit are due: it needs --rate_limit",
		"--rate_limit 1e300 --rate_units p": "--rate_limit: possible are one message per hour to 10^12 messages per second",
		"--rate_limit 1e-9 --rate_units p":  "--rate_limit: possible are one message per hour",
		"-s 8,8M --rate_limit 0.0000001 --rate_units M":  "--rate_limit: possible are one message per hour",
		"-D 0.2 --rate_limit 1 --rate_units p":           "--duration: no message is due within it at the rate of --rate_limit",
		"--run_infinitely --rate_limit 1 --rate_units p": "--run_infinitely: a latency test with --rate_limit needs at least 4 messages per second",
		"--rate_limit 0":     "--rate_limit 0: write a number above 0",
		"--reversed":         "--reversed is an option of the bandwidth tests",
		"--atom 1":           "--atomic_type is an option of ib_atomic_bw, ib_atomic_lat",
		"--bundle x":         "--bundle is an option of ib_compare",
		"--loopback":         "--loopback is an option of ib_conform",
		"--rate_units x":     "--rate_units x: choose g, M or p",
		"--nonsense":         "unknown option --nonsense; see --help",
		"-O":                 "option -O of perftest (--dualport): name both ports",
		"--output bandwidth": "latency tests print latency",
		"--format_file x":    "--format_file needs --format",
		"-é":                 `unknown option "-`,
		"-l 4":               "--post_list is an option of the bandwidth tests",
		"--verify=maybe":     "--verify maybe: it takes no argument",
		"--=x":               "see --help",
	} {
		_, err := parse(writeLat, strings.Fields(args))
		if err == nil || !strings.Contains(err.Error(), want) || Status(err) != StatusUsage {
			t.Errorf("%s: %v (status %d), want status 2 and %q", args, err, Status(err), want)
		}
	}
}

// Command lines are parsed as perftest parses them: with shortened names, with options that override
// others, and with options without effect.
func TestParseAsPerftest(t *testing.T) {
	atomicBW, atomicLat := option.Test{Op: option.OpAtomic, Kind: option.KindBandwidth}, option.Test{Op: option.OpAtomic, Kind: option.KindLatency}
	sendBW := option.Test{Op: option.OpSend, Kind: option.KindBandwidth}
	for _, c := range []struct {
		test       option.Test
		args, like string
	}{
		{writeBW, "--qp=4 --report_gbit -D 1", "-q 4 --report_gbits -D 1"}, {writeBW, "--bidir --iter=100 --tx=64", "-b -n 100 -t 64"},
		{writeBW, "--dur=1 --run-inf", "-D 1 --run_infinitely"}, {writeBW, "--al", "-a"}, {writeBW, "--size 8", "-s 8"},
		{writeLat, "--report-histo", "-H"}, {writeLat, "--precis 3% --compa", "--precision 3% --compare"},
		{writeBW, "-s 8 -a", "-a"}, {writeBW, "-a -s 8", "-a"}, {writeBW, "-D 2 -n 5", "-D 2"}, {writeBW, "-n 5 -D 2", "-D 2"},
		{sendBW, "-s 8192 -a -c UD", "-a -c UD"},
		{writeBW, "-n 0x60 -s 0x1000 --tclass=0x60 -t 0100 -m 0x400", "-n 96 -s 4096 --tclass 96 -t 64 -m 1024"},
		{writeBW, "-D 0xa -f 0x2 -w 100M -y 1.5x", "-D 10 -f 2 -w 100 -y 1.5"},
		{writeBW, "--run_infinitely -n 100 -a", "--run_infinitely"}, {writeBW, "-n 100 -a --run_infinitely", "--run_infinitely"},
		{writeBW, "-s 4K -a --run_infinitely", "--run_infinitely -s 4K"}, {writeBW, "-a --run_infinitely -s 4K", "--run_infinitely -s 4K"},
		{atomicBW, "-s 8", ""}, {writeLat, "--report_gbits --report-both", ""}, {readLat, "-Q 4", ""}, {atomicLat, "--cq-mod 4", ""},
	} {
		got, err := parse(c.test, strings.Fields(c.args))
		want, other := parse(c.test, strings.Fields(c.like))
		if err != nil || other != nil || !reflect.DeepEqual(got.Settings, want.Settings) {
			t.Errorf("%s %s: %+v, %v, want what %q gives", c.test.Program(), c.args, got, err, c.like)
		}
	}
	for _, test := range option.Tests() {
		if o, err := parse(test, []string{"--disable_pcie_relaxed"}); err != nil || !o.DisablePCIeRelaxed {
			t.Errorf("%s: %v", test.Program(), err)
		}
	}
	if o, err := parse(writeBW, []string{"-x", "3", "--ipv6"}); err != nil || o.Own.GIDIndex != 3 {
		t.Errorf("-x 3 --ipv6: %v", err)
	}
	for args, want := range map[string]string{
		"-s 16": "--size: an atomic operation has 8 bytes", "-a": "--all is an option of ib_write_bw, ", "-s 8 -Q": "--cq-mod needs an argument",
	} {
		if _, err := parse(atomicBW, strings.Fields(args)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("ib_atomic_bw %s: %v, want %q", args, err, want)
		}
	}
	for _, mode := range []string{"-e", "--completion adaptive"} {
		_, err := parse(readLat, strings.Fields("--rate_limit 5000 --rate_units p "+mode))
		if err == nil || !strings.Contains(err.Error(), "so it never sleeps: use --completion poll") || Status(err) != StatusUsage {
			t.Errorf("ib_read_lat %s at a rate: %v", mode, err)
		}
	}
	for _, size := range []string{"8192", "65536", "64,65536"} {
		if _, err := parse(sendBW, []string{"-c", "UD", "-s", size}); err == nil || !strings.Contains(err.Error(), "over UD a message has at most 4096 bytes") {
			t.Errorf("-c UD -s %s: %v", size, err)
		}
	}
}

// The environment has a value for --connect-timeout if the command line has none.
func TestConnectTimeoutOfTheEnvironment(t *testing.T) {
	t.Setenv(option.ConnectVariable, "250ms")
	for args, want := range map[string]time.Duration{"node1": time.Second / 4, "--connect-timeout 3 node1": 3 * time.Second} {
		if o, err := parse(writeLat, strings.Fields(args)); err != nil || o.Own.ConnectTimeout != want {
			t.Errorf("%s: %v, %v", args, o, err)
		}
	}
	if _, err := parse(writeLat, nil); err != nil {
		t.Errorf("a server: %v", err)
	}
	t.Setenv(option.ConnectVariable, "soon")
	if _, err := parse(writeLat, []string{"node1"}); Status(err) != StatusUsage || !strings.Contains(err.Error(), option.ConnectVariable+"=soon: write seconds") {
		t.Errorf("%v", err)
	}
}

func TestParseRefusesAnEmptyHost(t *testing.T) {
	if _, err := parse(writeLat, []string{""}); Status(err) != StatusUsage {
		t.Errorf("empty host: %v", err)
	}
}

func TestParseBandwidthRefuses(t *testing.T) {
	for args, want := range map[string]string{
		"-t 0": "--tx-depth 0: 1 to 15000", "-r 15001": "--rx-depth 15001: 1 to", "-q 0": "--qp 0: 1 to 16384",
		"-Q 0": "--cq-mod 0: 1 to 1024", "-Q 1025": "1 to 1024",
	} {
		if _, err := parse(writeBW, strings.Fields(args)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %q", args, err, want)
		}
	}
}
