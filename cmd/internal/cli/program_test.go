package cli

import (
	"bytes"
	"context"
	"regexp"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/HdrHistogram/hdrhistogram-go"
	"github.com/ibperf/ibperf/harness"
	"github.com/ibperf/ibperf/oob"
	"github.com/ibperf/ibperf/option"
	"github.com/ibperf/ibperf/result"
)

// program is one side of a run, as a goroutine.
type program struct {
	out, err *buffer
	ctx      context.Context
	cancel   context.CancelCauseFunc
	ended    chan error
}

// buffer keeps the output, and sends the port that a server prints on a channel.
type buffer struct {
	mu   sync.Mutex
	b    bytes.Buffer
	port chan string
}

var portLine = regexp.MustCompile(`(?m)^listening on port (\d+)$`)

func (b *buffer) Write(p []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if m := portLine.FindSubmatch(p); m != nil {
		b.port <- string(m[1])
	}
	return b.b.Write(p)
}

func (b *buffer) String() string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.b.String()
}

// awaits waits until the program has printed a text.
func (b *buffer) awaits(t *testing.T, text string) {
	t.Helper()
	for end := time.Now().Add(time.Minute); !strings.Contains(b.String(), text); time.Sleep(time.Millisecond) {
		if time.Now().After(end) {
			t.Fatalf("not printed within a minute: %q\n%s", text, b)
		}
	}
}

// engine replaces harness.Run.
type engine func(context.Context, harness.Config) error

// start runs a program with a test's engine.
func start(t *testing.T, test option.Test, run engine, args ...string) *program {
	t.Helper()
	p := newProgram(t)
	return p.goes(func(ctx context.Context) error {
		return p.app(test.Program(), run, args).main(ctx, test, args)
	})
}

func newProgram(t *testing.T) *program {
	p := &program{out: &buffer{}, err: &buffer{port: make(chan string, 1)}, ended: make(chan error, 1)}
	p.ctx, p.cancel = context.WithCancelCause(t.Context())
	t.Cleanup(func() { p.cancel(nil) })
	return p
}

func (p *program) app(name string, run engine, args []string) *app {
	return &app{
		program: name, command: append([]string{name}, args...), console: newConsole(p.out, p.err),
		run: run, agreeLimit: time.Minute, seriesPause: time.Minute, limits: testLimits,
	}
}

// testLimits are the seats of servers in tests.
var testLimits = oob.ClientLimits{All: 8, PerAddress: 6, Running: 4}

func (p *program) goes(main func(context.Context) error) *program {
	go func() { p.ended <- main(p.ctx) }()
	return p
}

// serverArgs returns the arguments of a server that only this host can reach, at a free port.
func serverArgs(args ...string) []string {
	return append([]string{"-p", "0", "--bind_source_ip", "127.0.0.1"}, args...)
}

// port waits for a server to listen.
func (p *program) port(t *testing.T) string {
	t.Helper()
	select {
	case port := <-p.err.port:
		return port
	case err := <-p.ended:
		t.Fatalf("the server has ended: %v", err)
	case <-time.After(time.Minute):
		t.Fatal("the server does not listen")
	}
	return ""
}

// end waits for the end of a program.
func (p *program) end(t *testing.T) error {
	t.Helper()
	select {
	case err := <-p.ended:
		return err
	case <-time.After(time.Minute):
		t.Fatalf("a program does not end; it has said: %s", p.err)
	}
	return nil
}

// run runs a client against a server of the same engine and waits for both.
func run(t *testing.T, test option.Test, e engine, server, client string) (sp, cp *program, serverErr, clientErr error) {
	t.Helper()
	sp = start(t, test, e, serverArgs(strings.Fields(server)...)...)
	cp = start(t, test, e, append([]string{"-p", sp.port(t), "127.0.0.1"}, strings.Fields(client)...)...)
	return sp, cp, sp.end(t), cp.end(t)
}

// quick is an engine that measures each size in no time.
func quick(_ context.Context, c harness.Config) error {
	begin(c)
	for _, size := range c.Plan.Plan().Sizes {
		addRow(c, size)
	}
	return nil
}

// begin fills in the parts of a file that printing needs.
func begin(c harness.Config) {
	c.File.Parameters = result.Parameters{Plan: c.Plan.Plan(), Extent: result.Extent{Modes: []option.Mode{"poll"}}}
	c.File.Parameters.MTU = 4096
	c.File.Local.Device.Name = c.Devices[0].Context.Device().Name()
	c.Begin(harness.Beginning{Rows: 1})
}

func addRow(c harness.Config, size int) {
	r := result.Row{Size: size, Mode: "poll", Opcode: "RDMA_WRITE"}
	if c.Plan.Plan().Kind == option.KindLatency {
		r.Latency = tenSamples()
		if p := c.Plan.Plan(); p.OpenLoop() {
			r.Latency.Rate, r.Load = 1000, &result.Load{Offered: p.RateLimit, Window: 128}
		}
	} else {
		r.Bandwidth = &result.Bandwidth{Messages: 10, Bytes: 1000, Seconds: 1, Average: 1000, MeasuredAt: "sender"}
	}
	c.File.Rows = append(c.File.Rows, r)
	c.Row(r)
}

func tenSamples() *result.Latency {
	const half = 1000.0 // ns
	h := hdrhistogram.New(1, 1e9, 3)
	if err := h.RecordValues(2*half, 10); err != nil {
		panic(err)
	}
	text, err := h.Encode(hdrhistogram.V2CompressedEncodingCookieBase)
	if err != nil {
		panic(err)
	}
	return &result.Latency{
		N: 10, MinNs: half, MeanNs: half, P50Ns: half, P90Ns: half, P99Ns: half, P999Ns: half, P9999Ns: half, MaxNs: half,
		Factor: 0.5, Histogram: string(text),
	}
}
