package cli

import (
	"context"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/ibperf/ibperf/harness"
	"github.com/ibperf/ibperf/internal/host"
	"github.com/ibperf/ibperf/oob"
	"github.com/ibperf/ibperf/option"
)

// secretFile writes a file with a secret.
func secretFile(t *testing.T, name, text string, mode os.FileMode) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), name)
	if err := os.WriteFile(path, []byte(text), mode); err != nil {
		t.Fatal(err)
	}
	return path
}

func TestSecretKeepsOthersOut(t *testing.T) {
	const text = "0123456789abcdef"
	right, wrong := secretFile(t, "right", text+"\n", 0o600), secretFile(t, "wrong", text+"0", 0o600)
	server := start(t, writeLat, quick, serverArgs("--secret-file", right)...)
	port := server.port(t)
	for name, args := range map[string]string{"none": "", "another": "--secret-file " + wrong} {
		client := start(t, writeLat, quick, append(strings.Fields(args), "-d", "shm_whole", "-p", port, "127.0.0.1")...)
		wantEnd(t, name+" secret", client.end(t), StatusPeer, "secret")
	}
	client := start(t, writeLat, quick, "--secret-file", secretFile(t, "same", text, 0o600), "-d", "shm_whole", "-p", port, "127.0.0.1")
	wantEnd(t, "client", client.end(t), StatusDone)
	wantEnd(t, "server", server.end(t), StatusDone)
	for _, p := range []*program{server, client} {
		if !strings.Contains(p.out.String(), " Control channel : TLS 1.3, closed by a secret\n") {
			t.Errorf("a side does not say that the channel is encrypted and closed: %s", p.out)
		}
	}
	open := start(t, writeLat, quick, serverArgs("--persistent")...)
	client = start(t, writeLat, quick, "--secret-file", right, "-d", "shm_whole", "-p", open.port(t), "127.0.0.1")
	wantEnd(t, "an open server", client.end(t), StatusPeer, "--secret-file")
	if !strings.Contains(open.err.String(), "open to all\n") {
		t.Errorf("an open server says %s", open.err)
	}
}

// A secret for tests does not open ib_conform, which makes errors on purpose, and the reverse.
func TestSecretIsForOneProgram(t *testing.T) {
	secret := []string{"--secret-file", secretFile(t, "secret", "0123456789abcdef", 0o600)}
	const want = "one side runs ib_conform and the other does not"

	tests := start(t, writeLat, quick, serverArgs(append([]string{"--persistent"}, secret...)...)...)
	_, err := conformed(t, append(slices.Clip(secret), "-d", "shm_whole", "-p", tests.port(t), "127.0.0.1")...)
	wantEnd(t, "ib_conform", err, StatusPeer, want)

	conform, args := newProgram(t), serverArgs(secret...)
	conform.goes(func(ctx context.Context) error {
		return conform.app(option.ConformProgram, nil, args).conform(ctx, args)
	})
	client := start(t, writeLat, quick, append(slices.Clip(secret), "-d", "shm_whole", "-p", conform.port(t), "127.0.0.1")...)
	wantEnd(t, "ib_write_lat", client.end(t), StatusPeer, want)
}

func TestSecretFiles(t *testing.T) {
	for name, c := range map[string]struct{ path, want string }{
		"missing":  {filepath.Join(t.TempDir(), "none"), "no such file"},
		"a folder": {t.TempDir(), "regular file"},
		"short":    {secretFile(t, "s", "0123456789abcde\n", 0o600), "openssl rand"},
		"shared":   {secretFile(t, "s", strings.Repeat("x", 32), 0o640), "chmod 600"},
		"large":    {secretFile(t, "s", strings.Repeat("x", maxSecret+1), 0o600), "at most"},
	} {
		for _, role := range [][]string{serverArgs(), {"127.0.0.1"}} {
			wantEnd(t, name, start(t, writeLat, quick, append(role, "--secret-file", c.path)...).end(t), StatusOther, c.path, c.want)
		}
	}
}

// A persistent server runs as many clients as it has CPUs for. Others wait and print why, up to the limit for their
// address; beyond it the server is busy, and clients try again until their timeout.
func TestBusyServer(t *testing.T) {
	running, release := make(chan struct{}, 16), make(chan struct{})
	e := func(ctx context.Context, c harness.Config) error {
		begin(c)
		if c.Role == harness.Server {
			running <- struct{}{}
			<-release
		}
		return nil
	}
	server := start(t, writeLat, e, serverArgs("--persistent")...)
	port := server.port(t)
	client := func(args ...string) *program {
		return start(t, writeLat, e, append(args, "-n", "5", "-d", "shm_whole", "-p", port, "127.0.0.1")...)
	}
	var clients []*program
	for range testLimits.Running {
		clients = append(clients, client())
		select {
		case <-running:
		case <-time.After(time.Minute):
			close(release)
			t.Fatalf("client %d does not run: %s; server %s", len(clients), clients[len(clients)-1].err, server.err)
		}
	}
	var leaves *program
	for range testLimits.PerAddress - testLimits.Running {
		leaves = client()
		leaves.err.awaits(t, "waiting: the server runs 4 other clients")
		clients = append(clients, leaves)
	}
	hasty := client("--connect-timeout", "0")
	wantEnd(t, "a client that does not wait", hasty.end(t), StatusPeer, "server busy: 6 clients of 127.0.0.1 run or wait, which is the limit for one address")
	leaves.cancel(&interruptedError{"SIGINT"})
	wantEnd(t, "a client that left the queue", leaves.end(t), StatusOther)
	clients[len(clients)-1] = client("--connect-timeout", "1m")
	clients[len(clients)-1].err.awaits(t, "waiting: the server runs 4 other clients")
	clients = append(clients, client("--connect-timeout", "1m"))
	if len(running) != 0 {
		t.Errorf("%d clients run beyond the limit", len(running))
	}
	close(release)
	for _, c := range clients {
		wantEnd(t, "client", c.end(t), StatusDone)
	}
}

func TestClientsLocalAddress(t *testing.T) {
	server := start(t, writeLat, quick, serverArgs("--persistent")...)
	port := server.port(t)
	for name, address := range map[string]string{"--bind_source_ip": "127.0.0.7", "--source_ip": "127.0.0.8"} {
		client := start(t, writeLat, quick, name, address, "-d", "shm_whole", "-p", port, "127.0.0.1")
		wantEnd(t, "client", client.end(t), StatusDone)
		if !strings.Contains(server.err.String(), "client "+address+":") {
			t.Errorf("%s: server said %s", name, server.err)
		}
	}
}

// Silent clients do not delay others, even on a server for one client.
func TestSilentClientsDoNotDelayOthers(t *testing.T) {
	server := start(t, writeLat, quick, serverArgs()...)
	port := server.port(t)
	for range maxPending + 100 {
		conn, err := oob.Dial(t.Context(), "127.0.0.1:"+port, oob.DialOptions{Timeout: time.Minute})
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { conn.Abort("", "end of the test") })
	}
	client := start(t, writeLat, quick, "-d", "shm_whole", "-p", port, "127.0.0.1")
	wantEnd(t, "client", client.end(t), StatusDone)
	wantEnd(t, "server", server.end(t), StatusDone)
	if strings.Contains(server.err.String(), "no message within") {
		t.Errorf("the server has waited for a silent client first: %s", server.err)
	}
}

// A malformed plan, and one beyond the budget, do not end a server for one client.
func TestUnfitProposalsDoNotEndAServer(t *testing.T) {
	server := start(t, writeLat, quick, serverArgs("--max-memory", "64M")...)
	port := server.port(t)
	conn, err := oob.Dial(t.Context(), "127.0.0.1:"+port, oob.DialOptions{Timeout: time.Minute})
	if err != nil {
		t.Fatal(err)
	}
	if a, err := conn.Propose(&oob.Proposal{Release: "0", Program: "ib_write_lat", Given: []string{}, Plan: []byte(`[7]`),
		Series: &oob.Series{ID: "of an attacker", Number: 1, Of: 9},
		Device: oob.DeviceID{Name: "shm_whole", Backend: embeddedBackend, Boot: host.BootID()}}, func(string) {}); err == nil && a.Refusal == "" {
		t.Error("the server accepts a malformed plan")
	}
	conn.Abort("", "end of the test")
	large := start(t, writeLat, quick, "-d", "shm_whole", "-p", port, "-s", "64M", "127.0.0.1")
	wantEnd(t, "a plan beyond the budget", large.end(t), StatusUsage, "--max-memory")
	client := start(t, writeLat, quick, "-d", "shm_whole", "-p", port, "127.0.0.1")
	wantEnd(t, "client", client.end(t), StatusDone)
	wantEnd(t, "server", server.end(t), StatusDone)
}

// A side's own path options work with --rdma_cm of the other side.
func TestOwnPathWithRDMACM(t *testing.T) {
	for _, c := range [][2]string{{"-R", "-d shm_whole -x 0"}, {"-x 0", "-d shm_whole -R -S 3 --tclass 96"}} {
		_, _, serverErr, clientErr := run(t, writeLat, quick, c[0], c[1])
		wantEnd(t, "client", clientErr, StatusDone)
		wantEnd(t, "server", serverErr, StatusDone)
	}
}

// A side's own options must be possible with the options of the other side.
func TestOwnOptionsAgainstTheFinalPlan(t *testing.T) {
	_, _, _, clientErr := run(t, writeLat, quick, "--compare", "-d shm_whole --output latency")
	wantEnd(t, "client", clientErr, StatusUsage, "--output and --compare exclude each other")
	_, _, serverErr, clientErr := run(t, writeLat, quick, "--output latency", "-d shm_whole --compare")
	wantEnd(t, "client", clientErr, StatusUsage, "--output and --compare exclude each other")
	wantEnd(t, "server", serverErr, StatusUsage, "--output and --compare exclude each other")
}
