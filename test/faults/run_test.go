package faults

import (
	"errors"
	"fmt"
	"io/fs"
	"net"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/ibperf/ibperf/result"
)

// shape is a run in which faults are injected.
type shape struct {
	program string
	server  string // options, split at blanks
	client  string
	next    string // options of the next client, if the server goes on
	sample  bool   // make test injects some of its faults
}

func (s shape) String() string {
	return strings.Join(strings.Fields(s.program+" "+s.server+" "+s.client), " ")
}

func (s shape) persistent() bool { return strings.Contains(s.server, "--persistent") }

// timed reports whether the run has as many messages as fit into a time, or as many tests as decide.
func (s shape) timed() bool { return strings.Contains(s.client, "-D ") || s.program == cluster }

var shapes = []shape{
	{"ib_write_lat", "--out_json_file server.json", "-n 1000 --out_json_file client.json", "-n 100", true},
	{"ib_send_bw", "--persistent --out_json_file server.json", "-n 1000 --out_json_file client.json", "-n 100", false},
	{"ib_send_lat", "", "--compare -s 8 -n 100 --rounds 2 --runs 1 --out_json_file client.json", "-n 100", false},
	{"ib_conform", "", "--run CQ-1|MR-1 --out_json_file client.json", "--run CQ-1", false},
	{"ib_verify", "", "-D 1 --dir client", "-D 1 --dir next", false},
	{"ib_compare", "", "--rate-sweep -s 64 -D 5ms --runs 1 --rounds 1 --dir client", "--rate-sweep -s 64 -D 5ms --runs 1 --rounds 1 --dir next", false},
	{cluster, "--rank 0 --dir server", "--rank 1", "", false},
}

// cluster is the program whose server is rank 0 and whose client is rank 1 of two.
const cluster = "ib_cluster"

// shapeOfVerbs is the run in which calls of libibverbs fail.
var shapeOfVerbs = shape{"ib_send_lat", "--out_json_file server.json", "-n 1000 --completion event --out_json_file client.json", "", true}

// pair is one run of a shape with at most one fault.
type pair struct {
	shape
	dir            string
	env            []string // of both sides
	server, client *side
	relay          *relay         // nil: none
	supervised     [2]*supervisor // of the client and the server; nil: none
	sides          [2][]string    // variables of one side
	began          time.Time
	addr           string // of the server
}

// oldResult is in the result files before the run.
const oldResult = "an older result\n"

// start starts both sides. A server that ends before it listens has no client.
func (p *pair) start() error {
	p.began = time.Now()
	for _, name := range []string{"client.json", "server.json"} {
		if err := os.WriteFile(filepath.Join(p.dir, name), []byte(oldResult), 0o600); err != nil {
			return err
		}
	}
	addr, err := p.startServer()
	if err != nil {
		return err
	}
	p.addr = addr
	if p.relay != nil {
		if addr, err = p.relay.listen(addr); err != nil {
			return err
		}
	}
	p.client, err = p.connect("client", addr, p.sides[0], p.supervised[0], p.shape.client)
	if p.relay != nil && err == nil {
		p.relay.ends(p.client, p.server)
	}
	return err
}

// startServer starts the server and returns its address when it listens.
func (p *pair) startServer() (addr string, err error) {
	launch := func(args ...string) error {
		args = append(args, strings.Fields(p.shape.server)...)
		p.server, err = launch("server", p.dir, append(p.env, p.sides[1]...), p.supervised[1], p.program, args...)
		return err
	}
	if p.program == cluster {
		if addr, err = freeAddress(); err != nil {
			return "", err
		}
		if err = launch(rankOptions(addr)...); err != nil {
			return "", err
		}
		return addr, p.server.listens(addr)
	}
	ready := filepath.Join(p.dir, "ready")
	if err := launch("--bind_source_ip", "127.0.0.1", "--port", "0", "--ready-file", ready); err != nil {
		return "", err
	}
	return awaitPort(p.server, ready)
}

// rankOptions returns the options of both ranks of a cluster whose rank 0 has an address.
func rankOptions(addr string) []string {
	host, port, _ := net.SplitHostPort(addr)
	return []string{"-d", "shm_whole", "--quick", "--ranks", "2", "--root", host, "-p", port, "--connect-timeout", "10"}
}

// freeAddress returns an address at which nothing listens.
func freeAddress() (string, error) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return "", err
	}
	defer l.Close()
	return l.Addr().String(), nil
}

// connect starts a client of an address.
func (p *pair) connect(name, addr string, env []string, s *supervisor, options string) (*side, error) {
	if p.program == cluster {
		return launch(name, p.dir, append(p.env, env...), s, p.program, append(rankOptions(addr), strings.Fields(options)...)...)
	}
	host, port, err := net.SplitHostPort(addr)
	if err != nil {
		return nil, err
	}
	device := "shm_whole"
	if len(p.env) > 0 {
		device = "stub0"
	}
	args := append([]string{"-d", device, "-p", port}, strings.Fields(options)...)
	return launch(name, p.dir, append(p.env, env...), s, p.program, append(args, host)...)
}

// end ends what still runs.
func (p *pair) end() {
	for _, s := range []*side{p.client, p.server} {
		if s != nil {
			s.end()
		}
	}
	if p.relay != nil {
		p.relay.close()
	}
}

// check waits for both sides and returns what did not hold. statuses are those with which a side may end.
func (p *pair) check(limit time.Duration, statuses ...int) error {
	ofClient := statuses
	if p.program == cluster {
		ofClient = []int{0} // whatever happens, as another status would end the whole job
	}
	err := errors.Join(p.client.ends(limit, ofClient), p.serverEnds(limit, statuses))
	if err != nil {
		return fmt.Errorf("%w%s", err, p.output())
	}
	return nil
}

// statusUnclear is NO VERDICT, see docs/EXIT-STATUS.md.
const statusUnclear = 9

// ends waits for a side. A side that was not started, or that the fault has killed, holds.
func (s *side) ends(limit time.Duration, statuses []int) error {
	if s == nil {
		return nil
	}
	status, err := s.wait(limit)
	if status == statusUnclear {
		status = 0 // a comparison of few messages is done, without a verdict
	}
	switch {
	case err == errLost:
		return nil
	case err == nil && !slices.Contains(statuses, status):
		err = fmt.Errorf("the %s ended with status %d, want one of %d", s.name, status, statuses)
	case err == nil && status != 0 && s.complaints() != 1:
		err = fmt.Errorf("the %s ended with status %d and %d messages, want 1", s.name, status, s.complaints())
	}
	return errors.Join(err, s.clean())
}

// serverEnds waits for the server, after the client. One that goes on must serve another client: it is persistent, or its
// client has not got as far as a plan.
func (p *pair) serverEnds(limit time.Duration, statuses []int) error {
	if p.client == nil || p.program == cluster {
		return p.server.ends(limit, statuses)
	}
	for end := time.Now().Add(limit / 2); !p.server.exited() && !p.server.lost.Load() && !p.persistent() && time.Now().Before(end); {
		time.Sleep(5 * time.Millisecond)
	}
	if p.server.exited() || p.server.lost.Load() {
		return p.server.ends(limit, statuses)
	}
	return errors.Join(p.serveNext(limit), p.server.clean())
}

// serveNext has the server serve another client, and ends it if it is persistent.
func (p *pair) serveNext(limit time.Duration) error {
	next, err := p.connect("next client", p.addr, nil, nil, p.next)
	if err != nil {
		return err
	}
	defer next.end()
	status, err := next.wait(limit)
	if p.server.lost.Load() {
		return nil // the fault came now
	}
	if err != nil || status != 0 && status != statusUnclear {
		return fmt.Errorf("the next client ended with status %d, error %v: %s", status, err, next.message())
	}
	if p.persistent() {
		_ = p.server.cmd.Process.Signal(os.Interrupt)
	}
	return p.server.ends(limit, []int{0, 1, 4})
}

// output returns what both sides have printed to stderr.
func (p *pair) output() (text string) {
	for _, s := range []*side{p.client, p.server} {
		if s != nil {
			text += fmt.Sprintf("\n-- %s: %v\n%s", s.name, s.cmd.ProcessState, s.message())
		}
	}
	return text
}

// files returns an error if a file is not whole or should not be there. After a kill a temporary file may be left.
func (p *pair) files(mayLeave bool) error {
	return filepath.WalkDir(p.dir, func(path string, d fs.DirEntry, err error) error {
		switch {
		case err != nil || d.IsDir():
			return err
		case strings.HasPrefix(d.Name(), ".") && !mayLeave:
			return fmt.Errorf("%s is left%s", path, p.output())
		case strings.HasPrefix(d.Name(), ".") || filepath.Ext(path) != ".json" || filepath.Dir(path) != p.dir:
			return nil
		}
		if data, err := os.ReadFile(path); err != nil || string(data) == oldResult {
			return err
		}
		if p.program == "ib_conform" {
			return nil // its results have a format of their own
		}
		if _, err := result.Read(path); err != nil {
			return fmt.Errorf("%s is not whole: %w%s", path, err, p.output())
		}
		return nil
	})
}

// of returns the client, 0, or the server, 1.
func (p *pair) of(which int) *side { return [2]*side{p.client, p.server}[which] }

// named returns an error unless a side whose call on a file has failed says so, or has written its files nevertheless.
func (p *pair) named(which int, at filePoint) error {
	s := p.of(which)
	if status := s.cmd.ProcessState.ExitCode(); status != 0 && status != statusUnclear || p.persistent() && s == p.server {
		if errno := errnoOf(at.call); !strings.Contains(s.message(), errno) {
			return fmt.Errorf("the %s does not say %q%s", s.name, errno, p.output())
		}
		return nil
	}
	name := s.name + ".json"
	if data, err := os.ReadFile(filepath.Join(p.dir, name)); strings.Contains(p.shape.server+p.shape.client, name) && (err != nil || string(data) == oldResult) {
		return fmt.Errorf("the %s ended with status 0 and has not written %s%s", s.name, name, p.output())
	}
	return nil
}

// errnoOf returns the text of the error with which a call fails.
func errnoOf(call string) string {
	for _, w := range watched {
		if w.name == call {
			return w.errno.Error()
		}
	}
	return ""
}

// names returns an error unless a side that has ended because of a call names it, and the error.
func (p *pair) names(which int, call string) error {
	s := p.of(which)
	if s == nil || s.cmd.ProcessState.ExitCode() == 0 {
		return nil
	}
	for _, text := range []string{strings.TrimSuffix(call, "_ex"), "input/output error"} {
		if !strings.Contains(s.message(), text) {
			return fmt.Errorf("the %s does not say %q%s", s.name, text, p.output())
		}
	}
	return nil
}
