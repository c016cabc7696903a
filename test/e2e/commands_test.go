package e2e

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"syscall"
	"testing"

	"github.com/ibperf/ibperf/option"
)

// command is a command line of testdata/commands.txt.
type command struct {
	program string
	args    []string
	refusal string // what both sides or one of them say; empty: it is accepted
}

// commands are all of them, in their order.
func commands(t *testing.T) (all []command) {
	t.Helper()
	data, err := os.ReadFile("testdata/commands.txt")
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(data)) {
		line, refusal, _ := strings.Cut(strings.TrimSpace(line), " | ")
		fields := strings.Fields(strings.TrimPrefix(line, "!"))
		if len(fields) == 0 || fields[0] == "#" {
			continue
		}
		c := command{program: fields[0], args: fields[1:], refusal: refusal}
		if c.refusal == "" {
			c.refusal = absent(c.args)
		}
		all = append(all, c)
	}
	return all
}

// absent is the reason why an option of the command line is not offered, empty if all are.
func absent(args []string) string {
	for _, arg := range args {
		name, letter := "", ""
		if rest, long := strings.CutPrefix(arg, "--"); long {
			name, _, _ = strings.Cut(rest, "=")
			name = option.Spelled(name)
		} else if len(arg) == 2 && arg[0] == '-' {
			letter = arg[1:]
		}
		if a := option.FindAbsent(name, letter); a != nil && name+letter != "" {
			return a.Why
		}
	}
	return ""
}

// line is the command line as the file has it.
func (c *command) line() string { return strings.Join(append([]string{c.program}, c.args...), " ") }

// written are the arguments of a side.
func (c *command) written(device, side string) []string {
	var args []string
	for _, arg := range c.args {
		args = append(args, strings.NewReplacer("DEV", device, "SIDE", side).Replace(arg))
	}
	return args
}

// Figures as the programs around perftest look for them: rows by their columns, labels, and
// bare numbers.
var figures = map[string]*regexp.Regexp{
	"bw":       regexp.MustCompile(`(?m)^\s*(\d+)\s+(\d+)\s+(\d+\.\d+)\s+(\d+\.\d+)\s+(\d+\.\d+)`),
	"lat":      regexp.MustCompile(`(?m)^\s*(\d+)\s+(\d+)\s+(\d+\.\d+)\s+(\d+\.\d+)\s+(\d+\.\d+)\s+(\d+\.\d+)\s+(\d+\.\d+)\s+(\d+\.\d+)\s+(\d+\.\d+)`),
	"timed":    regexp.MustCompile(`(?m)^\s*(\d+)\s+(\d+)\s+(\d+\.\d+)\s+(\d+\.\d+)`),
	"--output": regexp.MustCompile(`^(\d+\.\d+\n)+$`),
}

// figure is what finds the figure of a command line.
func (c *command) figure() *regexp.Regexp {
	line := strings.Join(c.args, " ")
	switch {
	case strings.Contains(line, "--output"):
		return figures["--output"]
	case strings.HasSuffix(c.program, "_bw"):
		return figures["bw"]
	case strings.Contains(line, "-D ") || strings.Contains(line, "--duration"):
		return figures["timed"]
	}
	return figures["lat"]
}

// try runs a command line on both sides.
func (c *command) try(t *testing.T) {
	p := newPlace(t, "*.json", "payload.txt")
	c.payload(t, p)
	if c.refusal != "" && !c.bothSpeak() {
		c.refused(t, p)
		return
	}
	server, port := p.serve(c.program, c.written(embedded, "server")...)
	client := p.connect(c.program, port, c.written(embedded, "client")...)
	if c.refusal != "" {
		client.within(patience)
		server.within(patience)
		if client.cmd.ProcessState.ExitCode() == statusDone || !strings.Contains(client.err.String()+server.err.String(), c.refusal) {
			t.Errorf("the client ended with status %d and did not say %q\n%s", client.cmd.ProcessState.ExitCode(), c.refusal, client.said())
		}
		return
	}
	if strings.Contains(strings.Join(c.args, " "), "run_infinitely") {
		client.await("a figure", func() bool { return c.figure().MatchString(client.out.String()) })
		client.signal(syscall.SIGINT)
		client.within(patience)
		server.within(patience)
		return
	}
	client.ends(statusDone, patience)
	server.ends(statusDone, patience)
	if !c.figure().MatchString(client.out.String()) {
		t.Errorf("no figure is found by %s\n%s", c.figure(), client.said())
	}
}

// payload writes the file that command lines name.
func (c *command) payload(t *testing.T, p *place) {
	t.Helper()
	if err := os.WriteFile(filepath.Join(p.dir, "payload.txt"), []byte("0xdeadbeef, 0x12345678\n"), 0o666); err != nil {
		t.Fatal(err)
	}
}

// bothSpeak tells whether it takes both sides to find out that a command line is refused: that
// it is not known by the options alone.
func (c *command) bothSpeak() bool {
	return strings.Contains("no rdma_cm leave --no_lock out only RDMA devices of the kernel have counters embedded devices share ordinary pages completion vectors are 0 to 0 GID index 3", c.refusal)
}

// refused runs a command line that is wrong by itself.
func (c *command) refused(t *testing.T, p *place) {
	client := p.startWith(embedded, c.program, append(c.written(embedded, "client"), loopback)...)
	if status := client.within(patience); status != statusUsage && status != statusDevice {
		t.Errorf("ended with status %d\n%s", status, client.said())
	}
	client.says(c.refusal)
}

// sample names command lines that are run each time; all of them are in [TestTrialOfCommandLines].
var sample = []string{
	"ib_write_bw", "ib_write_bw -d DEV -s 65536 -n 10000 -F", "ib_send_bw -d DEV -b --report_gbits -F -q 2", "ib_read_lat -d DEV -s 2 -n 10000",
	"ib_send_lat -d DEV -D 1", "ib_atomic_bw -d DEV -A CMP_AND_SWAP", "ib_write_bw -d DEV --write_with_imm", "ib_write_bw -d DEV --flow_label 7,8,9 -q 3",
	"ib_write_lat -d DEV --output=latency", "ib_write_bw -d DEV --use_cuda=0", "ib_write_bw -d DEV -W port_xmit_data", "ib_write_bw -d DEV -O",
}

func TestCommandLines(t *testing.T) {
	all, found := commands(t), 0
	if len(all) < 200 {
		t.Errorf("%d command lines, want 200", len(all))
	}
	for _, c := range all {
		if slices.Contains(sample, c.line()) {
			found++
			t.Run(c.line(), c.try)
		}
	}
	if found != len(sample) {
		t.Errorf("%d of %d command lines of the sample are there", found, len(sample))
	}
}
