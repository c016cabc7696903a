package e2e

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// readyName is the name of the server's ready file.
const readyName = "ready"

// newWorkspace returns a workspace. At the end of the test it checks that the result files keep to the
// schema, and that no files are left except those whose names match keep.
func newWorkspace(t *testing.T, keep ...string) *workspace {
	t.Helper()
	w := &workspace{t: t, dir: t.TempDir(), temp: t.TempDir(), host: loopback}
	t.Cleanup(func() {
		w.checkSchema()
		if left := w.leftovers(keep...); len(left) > 0 && !t.Failed() {
			t.Errorf("files are left: %s", strings.Join(left, ", "))
		}
	})
	return w
}

// leftovers lists the files in the workspace whose names do not match keep.
func (w *workspace) leftovers(keep ...string) (left []string) {
	for _, dir := range []string{w.dir, w.temp} {
		entries, err := os.ReadDir(dir)
		if err != nil {
			return []string{err.Error()}
		}
		for _, e := range entries {
			if matchesAny(e.Name(), keep) {
				continue
			}
			left = append(left, filepath.Join(dir, e.Name()))
		}
	}
	return left
}

// matchesAny reports whether a name matches one of the patterns of [filepath.Match].
func matchesAny(name string, patterns []string) bool {
	for _, p := range patterns {
		if ok, err := filepath.Match(p, name); ok && err == nil {
			return true
		}
	}
	return false
}

// serve starts a server and returns its port when it listens.
func (w *workspace) serve(program string, args ...string) (server *process, port string) {
	w.t.Helper()
	ready := filepath.Join(w.dir, readyName)
	server = w.start(program, append([]string{"--bind_source_ip", w.host, "--port", "0", "--ready-file", ready}, args...)...)
	server.await("ready file", func() bool {
		data, err := os.ReadFile(ready)
		port = strings.TrimSpace(string(data))
		return err == nil
	})
	return server, port
}

// connect starts a client of the server at a port, on [clientDevice] unless args name another.
func (w *workspace) connect(program, port string, args ...string) *process {
	w.t.Helper()
	return w.startWith(clientDevice(), program, append([]string{"-p", port, w.host}, args...)...)
}

// startPair starts a server and a client. Options are split at blanks.
func (w *workspace) startPair(program, serverOptions, clientOptions string) (server, client *process) {
	w.t.Helper()
	server, port := w.serve(program, strings.Fields(serverOptions)...)
	return server, w.connect(program, port, strings.Fields(clientOptions)...)
}

// runPair runs a pair whose sides end with the same status.
func (w *workspace) runPair(status int, program, serverOptions, clientOptions string) (server, client *process) {
	w.t.Helper()
	server, client = w.startPair(program, serverOptions, clientOptions)
	client.exits(status, patience)
	server.exits(status, patience)
	return server, client
}
