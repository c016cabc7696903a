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
	refusal string // in the error of at least one side; empty: it is accepted
}

// commands returns the command lines of testdata/commands.txt, in their order.
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

// absent returns the reason why ibperf lacks an option of the command line, empty if it has all.
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

// line returns the command line as it is in the file.
func (c *command) line() string { return strings.Join(append([]string{c.program}, c.args...), " ") }

// arguments returns the arguments of a side.
func (c *command) arguments(device, side string) []string {
	var args []string
	for _, arg := range c.args {
		args = append(args, strings.NewReplacer("DEV", device, "SIDE", side).Replace(arg))
	}
	return args
}

// figures match the figures in the text as programs around perftest find them, by the kind of output.
var figures = map[string]*regexp.Regexp{
	"bw":       regexp.MustCompile(`(?m)^\s*(\d+)\s+(\d+)\s+(\d+\.\d+)\s+(\d+\.\d+)\s+(\d+\.\d+)`),
	"lat":      regexp.MustCompile(`(?m)^\s*(\d+)\s+(\d+)\s+(\d+\.\d+)\s+(\d+\.\d+)\s+(\d+\.\d+)\s+(\d+\.\d+)\s+(\d+\.\d+)\s+(\d+\.\d+)\s+(\d+\.\d+)`),
	"timed":    regexp.MustCompile(`(?m)^\s*(\d+)\s+(\d+)\s+(\d+\.\d+)\s+(\d+\.\d+)`),
	"--output": regexp.MustCompile(`^(\d+\.\d+\n)+$`),
}

// figure returns the expression that finds the figure of a command line.
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
	w := newWorkspace(t, "*.json", "payload.txt")
	c.payload(t, w)
	if c.refusal != "" && !c.refusedByRun() {
		c.runRefused(t, w)
		return
	}
	server, port := w.serve(c.program, c.arguments(embedded, "server")...)
	client := w.connect(c.program, port, c.arguments(embedded, "client")...)
	if c.refusal != "" {
		client.wait(patience)
		server.wait(patience)
		if client.cmd.ProcessState.ExitCode() == statusDone || !strings.Contains(client.err.String()+server.err.String(), c.refusal) {
			t.Errorf("the client ended with status %d and printed no %q\n%s", client.cmd.ProcessState.ExitCode(), c.refusal, client.output())
		}
		return
	}
	if strings.Contains(strings.Join(c.args, " "), "run_infinitely") {
		client.await("a figure", func() bool { return c.figure().MatchString(client.out.String()) })
		client.signal(syscall.SIGINT)
		client.wait(patience)
		server.wait(patience)
		return
	}
	client.exits(statusDone, patience)
	server.exits(statusDone, patience)
	if !c.figure().MatchString(client.out.String()) {
		t.Errorf("no figure matches %s\n%s", c.figure(), client.output())
	}
}

// payload writes the payload file of the command lines.
func (c *command) payload(t *testing.T, w *workspace) {
	t.Helper()
	if err := os.WriteFile(filepath.Join(w.dir, "payload.txt"), []byte("0xdeadbeef, 0x12345678\n"), 0o666); err != nil {
		t.Fatal(err)
	}
}

// refusedByRun reports whether a command line is refused only in a run of both sides, not by its
// options alone.
func (c *command) refusedByRun() bool {
	return strings.Contains("no rdma_cm leave --no_lock out only RDMA devices of the kernel have counters embedded devices share ordinary pages memory of CUDA device 0 memory of ROCm device 0 completion vectors are 0 to 0 GID index 3", c.refusal)
}

// runRefused runs a client whose options alone are refused.
func (c *command) runRefused(t *testing.T, w *workspace) {
	client := w.startWith(embedded, c.program, append(c.arguments(embedded, "client"), loopback)...)
	if status := client.wait(patience); status != statusUsage && status != statusDevice {
		t.Errorf("%s ended with status %d\n%s", client.name, status, client.output())
	}
	client.wantStderr(c.refusal)
}

// sample names command lines of each operation and kind of output, accepted and refused by either
// side.
var sample = []string{
	"ib_write_bw", "ib_write_bw -d DEV -s 65536 -n 10000 -F", "ib_send_bw -d DEV -b --report_gbits -F -q 2", "ib_read_lat -d DEV -s 2 -n 10000",
	"ib_send_lat -d DEV -D 1", "ib_atomic_bw -d DEV -A CMP_AND_SWAP", "ib_write_bw -d DEV --write_with_imm", "ib_write_bw -d DEV --flow_label 7,8,9 -q 3",
	"ib_write_lat -d DEV --output=latency", "ib_write_bw -d DEV --use_cuda=0", "ib_write_bw -d DEV -W port_xmit_data", "ib_write_bw -d DEV -O", "ib_write_lat -d DEV -n 0x60 -w 100M -y 1",
}

// TestCommandLines runs [sample]: perftest's command lines print a figure or are refused with a
// reason. TestTrialOfCommandLines runs all.
func TestCommandLines(t *testing.T) {
	all, found := commands(t), 0
	if len(all) < 200 {
		t.Errorf("testdata/commands.txt has %d command lines, want 200 or more", len(all))
	}
	for _, c := range all {
		if slices.Contains(sample, c.line()) {
			found++
			t.Run(c.line(), c.try)
		}
	}
	if found != len(sample) {
		t.Errorf("testdata/commands.txt has %d of the sample's %d command lines", found, len(sample))
	}
}
