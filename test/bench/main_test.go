package main

import (
	"context"
	"fmt"
	"net"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/ibperf/ibperf/internal/leak"
	"github.com/ibperf/ibperf/test/bench/comparison"
)

// The test's own binary stands in for both programs, with a first argument that
// is its role.
func TestMain(m *testing.M) {
	if role := os.Getenv("BENCH_FAKE"); role != "" && len(os.Args) == 4 {
		os.Exit(fakeMain(os.Args[1], os.Args[2], os.Args[3]))
	}
	leak.Main(m)
}

// fakeMain serves one connection on a port of the loopback, or makes one.
func fakeMain(role, port, behaviour string) int {
	address := "127.0.0.1:" + port
	switch behaviour + " " + role {
	case "crash server", "fail client":
		fmt.Fprintln(os.Stderr, role, "has no device")
		return 3
	case "deaf server":
		time.Sleep(time.Hour) // until it is killed
	case "mute client":
		fmt.Println("nothing of use")
	}
	if role == "server" {
		l, err := net.Listen("tcp", address)
		if err != nil {
			return 1
		}
		c, err := l.Accept()
		if err != nil {
			return 1
		}
		c.Close()
		return 0
	}
	c, err := net.Dial("tcp", address)
	if err != nil {
		return 4
	}
	c.Close()
	fmt.Println("value 42")
	return 0
}

// fake is the program that [fakeMain] is.
type fake struct{ called, behaviour string }

func (f *fake) label() label                            { return label{name: f.called} }
func (f *fake) release(context.Context) (string, error) { return "1", nil }
func (f *fake) definition(b bench) string               { return f.called + " counts " + b.test() }
func (f *fake) note(b bench) string                     { return f.called + " differs" }

func (f *fake) command(role string, port int) []string {
	return []string{os.Args[0], role, fmt.Sprint(port), f.behaviour}
}
func (f *fake) server(_ bench, port int, _ string) []string { return f.command("server", port) }
func (f *fake) client(_ bench, port int, _ string) []string { return f.command("client", port) }

func (f *fake) read(_ bench, stdout, _ string) (reading, error) {
	var r reading
	_, err := fmt.Sscanf(stdout, "value %g", &r.value)
	return r, err
}

var someBench = latency("write", 8, "poll", 1000)

// newRunner pins to a CPU that every machine has.
func newRunner(t *testing.T, limit time.Duration) *runner {
	t.Setenv("BENCH_FAKE", "1")
	return &runner{cpus: [2]int{0, 0}, limit: limit, dir: t.TempDir()}
}

const runLimit = time.Minute

func TestPairOfProcessesIsMeasured(t *testing.T) {
	begin := time.Now()
	r, command, err := newRunner(t, runLimit).measure(t.Context(), &fake{"fake", ""}, someBench)
	if err != nil || r.value != 42 || len(command) != 4 || command[1] != "client" {
		t.Errorf("measured %v by %q, %v", r, command, err)
	}
	if r.seconds <= 0 || r.seconds > time.Since(begin).Seconds() {
		t.Errorf("the run took %v s", r.seconds)
	}
	if r.memory != 0 {
		t.Errorf("the memory of a bench that does not ask for it was watched: %v", r.memory)
	}
}

func TestMemoryOfBothProcessesIsWatched(t *testing.T) {
	b := someBench
	b.metric = comparison.MetricMemory
	r, _, err := newRunner(t, runLimit).measure(t.Context(), &fake{"fake", ""}, b)
	if err != nil || r.memory <= 0 || r.memory > 400*mib {
		t.Errorf("measured %+v, %v", r, err)
	}
}

// alone is a fake without a server.
type alone struct{ fake }

func (alone) server(bench, int, string) []string { return nil }
func (alone) client(bench, int, string) []string { return []string{"echo", "value 42"} }

func TestProgramOfOneProcessIsMeasured(t *testing.T) {
	r, _, err := newRunner(t, runLimit).measure(t.Context(), &alone{fake{"alone", ""}}, someBench)
	if err != nil || r.value != 42 {
		t.Errorf("measured %+v, %v", r, err)
	}
}

func TestFailingProcessesAreNamedWithTheirWords(t *testing.T) {
	for behaviour, want := range map[string]string{
		"crash": "server has no device", "fail": "client has no device", "mute": "read what fake printed",
	} {
		_, _, err := newRunner(t, runLimit).measure(t.Context(), &fake{"fake", behaviour}, someBench)
		if err == nil || !strings.Contains(err.Error(), want) || strings.Contains(err.Error(), "deadline") {
			t.Errorf("%s: error is %v, want one with %q", behaviour, err, want)
		}
	}
}

func TestServerThatNeverListensEndsAtTheLimit(t *testing.T) {
	_, _, err := newRunner(t, 300*time.Millisecond).measure(t.Context(), &fake{"fake", "deaf"}, someBench)
	if err == nil || !strings.Contains(err.Error(), "wait for the server to listen") || !strings.Contains(err.Error(), "deadline") {
		t.Errorf("error is %v", err)
	}
}

func TestProgramThatIsNotThereIsNamed(t *testing.T) {
	p := &ibperf{setup{bin: "/nowhere"}}
	if _, err := p.release(t.Context()); err == nil || !strings.Contains(err.Error(), "/nowhere/ib_write_bw") {
		t.Errorf("error is %v", err)
	}
}
