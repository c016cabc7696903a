package cli

import (
	"fmt"
	"net/netip"
	"slices"
	"strings"
	"time"

	"github.com/ibperf/ibperf/harness"
)

// options is what a command line says.
type options struct {
	spec
	host string // of the server; empty on the server itself

	device   string // empty: chosen
	ibPort   int
	gidIndex int // -1: chosen

	port           int
	bind           string // empty: all interfaces
	connectTimeout time.Duration
	persistent     bool
	readyFile      string

	plan  harness.Plan
	given []string // names of the fields of the plan that were given explicitly

	gbits    bool
	quietCPU bool // no warning about CPU frequencies
	json     bool
	jsonFile string // empty: the default, if json

	help, version bool
}

// The defaults that are not the plan's.
const (
	defaultPort    = 18515
	defaultTimeout = 10 * time.Second
)

func newOptions(s spec) *options {
	return &options{
		spec: s, ibPort: 1, gidIndex: -1, port: defaultPort, connectTimeout: defaultTimeout,
		plan: harness.Defaults(s.op, s.kind),
	}
}

// parse reads a command line, without the program's name.
func parse(s spec, args []string) (*options, error) {
	o, raw := newOptions(s), rawOptions{}
	f := define(o, &raw)
	if err := f.parse(args, s); err != nil {
		return nil, err
	}
	if o.help || o.version {
		return o, nil
	}
	if err := o.takeHost(f.set.Args()); err != nil {
		return nil, err
	}
	for _, finish := range []func(*flags, *rawOptions) error{o.takeTest, o.takeCompletion, o.takeRole} {
		if err := finish(f, &raw); err != nil {
			return nil, err
		}
	}
	o.given = givenFields(f)
	if err := o.plan.Check(); err != nil {
		return nil, usage(err.Error())
	}
	return o, nil
}

// rawOptions are those that say together what the plan holds.
type rawOptions struct {
	size   int
	all    bool
	events bool
}

// takeHost reads what is no option: at most the server's name or address.
func (o *options) takeHost(args []string) error {
	if len(args) > 1 {
		return usage(fmt.Sprintf("one server at most: %s", strings.Join(args, " ")))
	}
	if len(args) == 0 {
		return nil
	}
	host := args[0]
	if inner, ok := strings.CutPrefix(host, "["); ok {
		host = strings.TrimSuffix(inner, "]")
	}
	if _, err := netip.ParseAddr(host); err != nil && (host == "" || strings.ContainsAny(host, ": []/")) {
		return usage(fmt.Sprintf("server %q: write a host name or an address, and its port with -p", args[0]))
	}
	o.host = host
	return nil
}

func (o *options) takeTest(f *flags, raw *rawOptions) error {
	switch {
	case raw.all && f.given("size"):
		return usage("--size and --all exclude each other")
	case f.given("iters") && f.given("duration"):
		return usage("--iters and --duration exclude each other: a run is either counted or timed")
	case raw.all:
		o.plan.Sizes = harness.AllSizes()
	case f.given("size"):
		o.plan.Sizes = []int{raw.size}
	}
	switch {
	case f.given("duration"):
		o.plan.Iterations = 0
	case o.plan.Compare && !f.given("iters"):
		o.plan.CompareByTime()
	}
	return nil
}

func (o *options) takeCompletion(f *flags, raw *rawOptions) error {
	named := f.given("completion")
	if raw.events {
		if named && o.plan.Completion != harness.ModeEvent {
			return usage(fmt.Sprintf("--events means --completion event, not %s", o.plan.Completion))
		}
		o.plan.Completion = harness.ModeEvent
	}
	if o.plan.Compare && !named && !raw.events {
		o.plan.Completion = harness.ModeAuto
	}
	return nil
}

// takeRole checks the options that only one of the roles has.
func (o *options) takeRole(f *flags, _ *rawOptions) error {
	if o.host != "" {
		if i := slices.IndexFunc(serverOptions, f.given); i >= 0 {
			return usage(fmt.Sprintf("--%s is an option of the server, which is run without a host", serverOptions[i]))
		}
		if o.port == 0 {
			return usage("--port 0 is for the server: the client needs the port that the server printed")
		}
	}
	if o.plan.RDMACM && f.given("gid-index") {
		return usage("--rdma_cm and --gid-index exclude each other: rdma_cm chooses the GID by the address")
	}
	if f.given("out_json_file") {
		o.json = true
	}
	if o.json && o.jsonFile == "" {
		o.jsonFile = o.program() + ".json"
	}
	return nil
}

// serverOptions have no meaning for a client.
var serverOptions = []string{"persistent", "ready-file", "bind_source_ip"}
