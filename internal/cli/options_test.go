package cli

import (
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/ibperf/ibperf/harness"
	"github.com/ibperf/ibperf/reports/result"
)

var (
	writeLat = spec{harness.OpWrite, result.KindLatency}
	writeBW  = spec{harness.OpWrite, result.KindBandwidth}
	readLat  = spec{harness.OpRead, result.KindLatency}
)

func TestParseDefaults(t *testing.T) {
	o, err := parse(writeBW, nil)
	if err != nil {
		t.Fatal(err)
	}
	if o.port != 18515 || o.ibPort != 1 || o.gidIndex != -1 || o.host != "" || o.connectTimeout != 10*time.Second || o.json {
		t.Errorf("defaults: %+v", o)
	}
	if !reflect.DeepEqual(o.plan, harness.Defaults(harness.OpWrite, result.KindBandwidth)) || o.given != nil {
		t.Errorf("plan %+v, given %v, want the defaults and nothing given", o.plan, o.given)
	}
}

func TestParse(t *testing.T) {
	all := "-d mlx5_1 -i 2 -p 2000 -s 4K -n 100 -m 2048 -I 64 -t 7 -r 8 -q 9 -Q 10 " +
		"--offset 5 --completion event -e --verify --force-data -R -N --disable_pcie_relaxed --touch none --rounds 11 --runs 12 --report_gbits -F --connect-timeout 2.5 --out_json_file a.json node1"
	o, err := parse(writeBW, strings.Fields(all))
	if err != nil {
		t.Fatal(err)
	}
	p := harness.Defaults(harness.OpWrite, result.KindBandwidth)
	p.Sizes, p.Iterations, p.MTU, p.Inline, p.Offset = []int{4096}, 100, 2048, 64, 5
	p.TxDepth, p.RxDepth, p.QPs, p.CQMod, p.Touch, p.Rounds, p.Runs = 7, 8, 9, 10, harness.TouchNone, 11, 12
	p.Completion, p.Verify, p.ForceData, p.StrictPCIe, p.RDMACM, p.NoPeak = harness.ModeEvent, true, true, true, true, true
	want := &options{
		spec: writeBW, host: "node1", device: "mlx5_1", ibPort: 2, gidIndex: -1, port: 2000, connectTimeout: 2500 * time.Millisecond,
		plan: p, given: o.given, gbits: true, quietCPU: true, json: true, jsonFile: "a.json",
	}
	if !reflect.DeepEqual(o, want) {
		t.Errorf("got  %+v\nwant %+v", o, want)
	}
	elsewhere := []string{"also", "precision", "time-limit", "latency_gap"} // of comparisons and of latency tests
	if len(o.given)+len(elsewhere) != len(fields) {
		t.Errorf("given %v, want all %d fields but %v", o.given, len(fields), elsewhere)
	}
}

func TestParsePlans(t *testing.T) {
	for _, c := range []struct {
		args string
		has  func(*options) bool
	}{
		{"-a", func(o *options) bool { return len(o.plan.Sizes) == 23 && o.plan.Sizes[22] == 8<<20 }},
		{"-D 0.5", func(o *options) bool { return o.plan.Duration == time.Second/2 && o.plan.Iterations == 0 }},
		{"--duration=250ms", func(o *options) bool { return o.plan.Duration == time.Second/4 }},
		{"-n 010", func(o *options) bool { return o.plan.Iterations == 10 }},
		{"-n 4294967296", func(o *options) bool { return o.plan.Iterations == 1<<32 }},
		{"-e", func(o *options) bool { return o.plan.Completion == harness.ModeEvent }},
		{"--compare --completion auto", func(o *options) bool { return o.plan.Compare }},
		{"-s8 -n5 node1", func(o *options) bool { return o.plan.Sizes[0] == 8 && o.host == "node1" }},
		{"node1 -s 8", func(o *options) bool { return o.plan.Sizes[0] == 8 && o.host == "node1" }},
		{"::1", func(o *options) bool { return o.host == "::1" }},
		{"[fe80::1%eth0]", func(o *options) bool { return o.host == "fe80::1%eth0" }},
		{"--out_json", func(o *options) bool { return o.jsonFile == "ib_write_lat.json" }},
		{"--out_json_file x", func(o *options) bool { return o.json && o.jsonFile == "x" }},
		{"-I 0", func(o *options) bool { return o.plan.Inline == 0 }},
		{"-p 0 --persistent --ready-file r", func(o *options) bool { return o.port == 0 && o.persistent && o.readyFile == "r" }},
		{"--bind_source_ip 127.0.0.1", func(o *options) bool { return o.bind == "127.0.0.1" }},
		{"--connect-timeout 0 node1", func(o *options) bool { return o.connectTimeout == 0 }},
		{"-h -s 8", func(o *options) bool { return o.help }},
		{"-V", func(o *options) bool { return o.version }},
	} {
		o, err := parse(writeLat, strings.Fields(c.args))
		if err != nil || !c.has(o) {
			t.Errorf("%s: %+v, %v", c.args, o, err)
		}
	}
}

func TestParseRefuses(t *testing.T) {
	for args, want := range map[string]string{
		"-s 64k":                      "--size 64k: write 64K or 65536",
		"-s 0":                        "--size 0: message sizes are 1 to",
		"-s -1":                       "--size -1: ",
		"-s":                          "--size needs an argument",
		"--size=":                     `--size "": `,
		"-n 4":                        "--iters 4: 5 to 4294967296",
		"-n -1":                       "--iters -1: 5 to",
		"-n 99999999999999999999":     "5 to 4294967296",
		"-n ten":                      "--iters ten: write a whole number",
		"-D 0":                        "--duration 0: 0.001 to",
		"-D -1":                       "0.001 to",
		"-D NaN":                      "write seconds",
		"-D 1e30":                     "0.001 to 3600000 seconds",
		"-D soon":                     "write seconds",
		"-m 1500":                     "--mtu 1500: choose 256, 512",
		"-m 0":                        "choose 256",
		"-I 1025":                     "--inline_size 1025: 0 to 1024",
		"-I -1":                       "0 to 1024",
		"-i 0":                        "--ib-port 0: 1 to 255",
		"-i 257":                      "1 to 255",
		"-x 256":                      "--gid-index 256: 0 to 255",
		"-p 65536":                    "--port 65536: 0 to 65535",
		"--offset 128":                "--offset 128: 0 to 127",
		"--completion spin":           "--completion spin: choose auto, data, poll or event",
		"-e --completion poll":        "--events means --completion event, not poll",
		"-e --completion auto":        "--events means",
		"--compare -e":                "--compare runs every completion mode",
		"--compare --completion data": "--compare runs every completion mode",
		"-a -s 8":                     "--size and --all exclude",
		"-n 10 -D 1":                  "--iters and --duration exclude",
		"a b":                         "one server at most: a b",
		"node1:18515":                 "its port with -p",
		"-p 0 node1":                  "--port 0 is for the server",
		"--persistent node1":          "--persistent is an option of the server",
		"--ready-file r node1":        "--ready-file is an option of the server",
		"--bind_source_ip ::1 node1":  "--bind_source_ip is an option of the server",
		"--bind_source_ip eth0":       "--bind_source_ip eth0: write an IPv4",
		"--ib-dev= node1":             `--ib-dev "": must not be empty`,
		"--itres 5":                   "unknown option --itres (did you mean --iters?); see --help",
		"--ib_dev x":                  "did you mean --ib-dev?",
		"--dur 5":                     "did you mean --duration?",
		"--nonsense":                  "unknown option --nonsense; see --help",
		"-z":                          "unknown option -z; see --help",
		"-t 4":                        "unknown option -t: only the bandwidth tests have it",
		"--qp 4":                      "unknown option --qp: only the bandwidth tests have it",
		"--report_gbits":              "only the bandwidth tests have it",
		"--verify=maybe":              "--verify maybe: ",
		"--=x":                        "see --help",
	} {
		_, err := parse(writeLat, strings.Fields(args))
		if err == nil || !strings.Contains(err.Error(), want) || Status(err) != StatusUsage {
			t.Errorf("%s: %v (status %d), want status 2 and %q", args, err, Status(err), want)
		}
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

func TestHelpNamesEveryOption(t *testing.T) {
	for _, s := range []spec{writeLat, writeBW} {
		text := helpText(s)
		for _, g := range define(newOptions(s), &rawOptions{}).groups {
			for _, f := range g.flags {
				if !strings.Contains(text, "--"+f.name) {
					t.Errorf("%s --help lacks --%s", s.program(), f.name)
				}
			}
		}
		for line := range strings.Lines(text) {
			if len(line) > helpWidth+1 {
				t.Errorf("%s --help: line of %d letters: %s", s.program(), len(line), line)
			}
		}
	}
	if strings.Contains(helpText(writeLat), "--tx-depth") {
		t.Error("help of a latency test has --tx-depth")
	}
}
