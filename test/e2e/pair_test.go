package e2e

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// readyName is the name of the ready file in a place.
const readyName = "ready"

// newPlace makes a place for the processes of a test. At the end of the test it
// checks that they have left nothing but the files named in keep.
func newPlace(t *testing.T, keep ...string) *place {
	t.Helper()
	p := &place{t: t, dir: t.TempDir(), temp: t.TempDir(), host: loopback}
	t.Cleanup(func() {
		p.holdToSchema()
		if left := p.leftovers(keep...); len(left) > 0 && !t.Failed() {
			t.Errorf("files are left: %s", strings.Join(left, ", "))
		}
	})
	return p
}

// leftovers lists the files in the place, except those that may be there.
func (p *place) leftovers(keep ...string) (left []string) {
	for _, dir := range []string{p.dir, p.temp} {
		entries, err := os.ReadDir(dir)
		if err != nil {
			return []string{err.Error()}
		}
		for _, e := range entries {
			if matched(e.Name(), keep) {
				continue
			}
			left = append(left, filepath.Join(dir, e.Name()))
		}
	}
	return left
}

func matched(name string, patterns []string) bool {
	for _, p := range patterns {
		if ok, err := filepath.Match(p, name); ok && err == nil {
			return true
		}
	}
	return false
}

// serve starts a server that only this host can reach, and returns its port
// once it listens.
func (p *place) serve(program string, args ...string) (server *process, port string) {
	p.t.Helper()
	ready := filepath.Join(p.dir, readyName)
	server = p.start(program, append([]string{"--bind_source_ip", p.host, "--port", "0", "--ready-file", ready}, args...)...)
	server.await("ready file", func() bool {
		data, err := os.ReadFile(ready)
		port = strings.TrimSpace(string(data))
		return err == nil
	})
	return server, port
}

// connect starts a client of the server at a port, on [clientDevice] unless args name another.
func (p *place) connect(program, port string, args ...string) *process {
	p.t.Helper()
	return p.startWith(clientDevice(), program, append([]string{"-p", port, p.host}, args...)...)
}

// both starts a pair; options are split at blanks.
func (p *place) both(program, serverOptions, clientOptions string) (server, client *process) {
	p.t.Helper()
	server, port := p.serve(program, strings.Fields(serverOptions)...)
	return server, p.connect(program, port, strings.Fields(clientOptions)...)
}

// run runs a pair to its end, with the same status on both sides.
func (p *place) run(status int, program, serverOptions, clientOptions string) (server, client *process) {
	p.t.Helper()
	server, client = p.both(program, serverOptions, clientOptions)
	client.ends(status, patience)
	server.ends(status, patience)
	return server, client
}
