package cli

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
	"unicode"

	"github.com/ibperf/ibperf/harness"
	"github.com/ibperf/ibperf/option"
	"github.com/ibperf/ibperf/result"
)

// recorded are the sessions that FuzzSession edits. Short ones: a session takes tens of milliseconds.
var recorded = []struct {
	test           option.Test
	server, client string
}{
	{writeLat, "", "-n 5 -s 8"},
	{option.Test{Op: option.OpSend, Kind: option.KindBandwidth}, "", "-n 20 -s 64 -q 2 --verify"},
	{writeLat, "--persistent", "-n 5 -s 8 --completion event"},
	{writeBW, "", "-n 10 -s 8 --compare --runs 1 --rounds 1"},
	{option.Test{Op: option.OpRead, Kind: option.KindLatency}, "", "-n 5 -s 64"},
	{option.Test{Op: option.OpSend, Kind: option.KindBandwidth}, "--secret-file SECRET", "-n 10 -s 8 -c UD --secret-file SECRET"},
}

// FuzzSession plays a whole session between a real server and a real client, whose frames a relay edits. Both sides end
// in time with a documented status, print no control characters, and leave whole result files; a server that goes on
// serves the next client.
func FuzzSession(f *testing.F) {
	for i := range byte(len(recorded)) {
		f.Add([]byte{i})
		for action := range byte(actionCount) {
			for n, frame := range []byte{0, 1, 2, 3, 5, 9} { // of the greeting, the agreement, the setup and the run
				if (int(i+action)+n)%3 == 0 {
					f.Add([]byte{i, action, frame<<1 | action&1, 40 * frame, frame + action})
				}
			}
		}
	}
	secret := filepath.Join(f.TempDir(), "secret")
	if err := os.WriteFile(secret, []byte("a secret of at least sixteen bytes"), 0o600); err != nil {
		f.Fatal(err)
	}
	f.Fuzz(func(t *testing.T, input []byte) {
		t.Parallel()
		if len(input) == 0 {
			return
		}
		playSession(t, int(input[0])%len(recorded), secret, editsOf(input[1:]))
	})
}

// playSession plays a session, edited.
func playSession(t *testing.T, i int, secret string, edits []edit) {
	t.Helper()
	s, dir := recorded[i], t.TempDir()
	args := func(text, file string) []string {
		return append(strings.Fields(strings.ReplaceAll(text, "SECRET", secret)), "--out_json_file", filepath.Join(dir, file))
	}
	server := start(t, s.test, harness.Run, serverArgs(append(args(s.server, "server.json"), "-d", "shm_whole")...)...)
	direct := server.port(t)
	r := newRelay(t, "127.0.0.1:"+direct, edits)
	client := start(t, s.test, harness.Run, append(args(s.client, "client.json"), "-d", "shm_whole", "--connect-timeout", "0", "-p", r.port(), "127.0.0.1")...)
	clientErr := client.end(t)
	r.end()
	serverErr := endServer(t, server, s.test, direct, args(s.client, "next.json"))
	for name, p := range map[string]*program{"server": server, "client": client} {
		wantPlain(t, name, p)
	}
	wantDocumented(t, clientErr, len(edits) == 0)
	wantDocumented(t, serverErr, len(edits) == 0)
	wantFiles(t, dir, len(edits) == 0)
}

// endServer waits for the end of a server. One that goes on, as it has rejected the client or is persistent, serves the
// next client and is then stopped.
func endServer(t *testing.T, server *program, test option.Test, port string, args []string) error {
	t.Helper()
	select {
	case err := <-server.ended:
		return err
	case <-time.After(quiet):
	}
	next := start(t, test, harness.Run, append(args, "-d", "shm_whole", "-p", port, "127.0.0.1")...)
	select {
	case err := <-server.ended: // of the edited session or of the next
		next.cancel(context.Canceled)
		next.end(t)
		return err
	case err := <-next.ended:
		if err != nil && server.alive() {
			t.Errorf("the next client: %v; the server has said: %s", err, server.err)
		}
	case <-time.After(time.Minute):
		t.Fatalf("the server neither ends nor serves the next client; it has said: %s", server.err)
	}
	server.cancel(nil)
	select {
	case err := <-server.ended:
		return stopped(err)
	case <-time.After(time.Minute):
		t.Fatalf("the server does not stop; it has said: %s", server.err)
	}
	return nil
}

// alive reports whether a program has not ended.
func (p *program) alive() bool {
	select {
	case err := <-p.ended:
		p.ended <- err
		return false
	case <-time.After(quiet):
		return true
	}
}

// stopped returns no error for that of a server whose context this test has ended.
func stopped(err error) error {
	if errors.Is(err, context.Canceled) {
		return nil
	}
	return err
}

// wantPlain fails if a program has printed control characters.
func wantPlain(t *testing.T, name string, p *program) {
	t.Helper()
	for _, out := range []*buffer{p.out, p.err} {
		text := out.String()
		bad := func(c rune) bool {
			return c != '\n' && c != '\t' && unicode.IsControl(c)
		}
		if at := strings.IndexFunc(text, bad); at >= 0 {
			t.Errorf("the %s printed %q", name, text[max(0, at-80):min(len(text), at+80)])
		}
	}
}

// wantDocumented fails unless an error has an exit status of a test program, and a text of one line. Sessions that were
// not edited have none, or that of a short comparison.
func wantDocumented(t *testing.T, err error, whole bool) {
	t.Helper()
	if err == nil {
		return
	}
	if status := Status(err); status != StatusUnclear && (whole || status < StatusOther || status > StatusLimit) {
		t.Errorf("status %d: %v", status, err)
	}
	if text := err.Error(); text == "" || strings.ContainsFunc(text, unicode.IsControl) {
		t.Errorf("the error is %q", text)
	}
}

// wantFiles fails if a file is no whole result file. Sessions that were not edited have one of each side.
func wantFiles(t *testing.T, dir string, whole bool) {
	t.Helper()
	entries, err := os.ReadDir(dir)
	if err != nil || whole && len(entries) < 2 {
		t.Fatalf("%d files: %v", len(entries), err)
	}
	for _, e := range entries {
		if _, err := result.Read(filepath.Join(dir, e.Name())); err != nil {
			t.Error(err)
		}
	}
}
