package cli

import (
	"context"
	"fmt"
	"net"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/ibperf/ibperf/harness"
	"github.com/ibperf/ibperf/internal/host"
	"github.com/ibperf/ibperf/oob"
	"github.com/ibperf/ibperf/option"
)

// wantEnd checks an error's status and that its text has all words.
func wantEnd(t *testing.T, who string, err error, status int, words ...string) {
	t.Helper()
	if Status(err) != status {
		t.Errorf("%s ended with status %d, want %d: %v", who, Status(err), status, err)
	}
	for _, w := range words {
		if err == nil || !strings.Contains(err.Error(), w) {
			t.Errorf("%s ended with %v, want %q in it", who, err, w)
		}
	}
}

func TestBothSidesRunTheAgreedPlan(t *testing.T) {
	plans := make(chan option.Plan, 2)
	keep := func(ctx context.Context, c harness.Config) error {
		plans <- c.Plan.Plan()
		return quick(ctx, c)
	}
	server, client, serverErr, clientErr := run(t, writeBW, keep, "-s 256 -F", "-d shm_block128 -q 2 -F")
	if serverErr != nil || clientErr != nil {
		t.Fatalf("server: %v, client: %v", serverErr, clientErr)
	}
	for range 2 {
		if p := <-plans; p.Sizes[0] != 256 || p.QPs != 2 {
			t.Errorf("ran %+v, want 256 bytes on 2 QPs", p)
		}
	}
	for who, p := range map[string]*program{"client": client, "server": server} {
		if out := p.out.String(); !strings.Contains(out, "shm_block128") || !strings.Contains(out, "256") {
			t.Errorf("%s printed %s", who, out)
		}
	}
	if !strings.Contains(client.err.String(), "--size 256: decided by the server") {
		t.Errorf("client said %s", client.err)
	}
}

func TestConflictsEndBothSides(t *testing.T) {
	for _, c := range []struct{ name, server, client, one, other string }{
		{"options", "-s 8", "-d shm_whole -s 16", "--size 16", "--size 8"},
		{"devices", "-d fake0", "-d shm_whole", "shm_whole", "fake0"},
		{"devices, the other way", "-d shm_whole", "-d fake0", "shm_whole", "fake0"},
	} {
		_, _, serverErr, clientErr := run(t, writeLat, quick, c.server, c.client)
		wantEnd(t, c.name+": server", serverErr, StatusUsage, c.one, c.other)
		wantEnd(t, c.name+": client", clientErr, StatusUsage, c.one, c.other)
	}
}

func TestServerServesEveryTest(t *testing.T) {
	plans := make(chan option.Plan, 2)
	keep := func(ctx context.Context, c harness.Config) error {
		plans <- c.Plan.Plan()
		return quick(ctx, c)
	}
	for _, test := range option.Tests() {
		server := start(t, readLat, keep, serverArgs("-n", "16")...)
		client := start(t, test, keep, "-d", "shm_whole", "-p", server.port(t), "127.0.0.1")
		if serverErr, clientErr := server.end(t), client.end(t); serverErr != nil || clientErr != nil {
			t.Fatalf("%s: %v; %v", test.Program(), serverErr, clientErr)
		}
		for range 2 {
			if p := <-plans; p.Test != test || p.Iterations != 16 || p.TxDepth != min(option.Defaults(test).TxDepth, 16) {
				t.Errorf("%s: the plan is %+v", test.Program(), p)
			}
		}
	}
}

// A server's options hold for every client, or are in conflict with its test.
func TestServersOptionsThatATestDoesNotHave(t *testing.T) {
	server := start(t, writeBW, quick, serverArgs("-Q", "4")...)
	client := start(t, readLat, quick, "-d", "shm_whole", "-p", server.port(t), "127.0.0.1")
	const want = "the server was given --cq-mod 4, which ib_read_lat does not have"
	wantEnd(t, "server", server.end(t), StatusUsage, want)
	wantEnd(t, "client", client.end(t), StatusUsage, want)
}

func TestHostsWithoutRDMADevices(t *testing.T) {
	here, there := embeddedClient, embeddedClient
	there.Boot = "another"
	err := checkDevices(here, there)
	wantEnd(t, "two hosts", err, StatusUsage, "within one host only", "ib_caps lists them", "run both sides on one host")
	if err := checkDevices(here, here); err != nil {
		t.Error(err)
	}
}

func TestServerWithoutAUsableDeviceTellsTheClient(t *testing.T) {
	_, _, serverErr, clientErr := run(t, writeLat, quick, "-i 2", "-d fake0")
	wantEnd(t, "server", serverErr, StatusDevice, "fake0")
	wantEnd(t, "client", clientErr, StatusDevice, "no RDMA device is usable")
}

func TestUnusableDevicesEndBeforeTheNetwork(t *testing.T) {
	for args, want := range map[string]string{
		"-d nope": "there are", "-d fakedown": "DOWN", "-d fakeiwarp": "iWARP", "-d fakelocked": "permission", "-d shm_whole -i 9": "no port 9",
	} {
		wantEnd(t, "server "+args, start(t, writeLat, quick, serverArgs(strings.Fields(args)...)...).end(t), StatusDevice, want)
		wantEnd(t, "client "+args, start(t, writeLat, quick, strings.Fields(args+" 127.0.0.1")...).end(t), StatusDevice, want)
	}
}

func TestUnwritableFilesEndBeforeTheNetwork(t *testing.T) {
	missing := filepath.Join(t.TempDir(), "no", "file")
	for _, option := range []string{"--out_json_file", "--ready-file"} {
		wantEnd(t, option, start(t, writeLat, quick, serverArgs(option, missing)...).end(t), StatusOther, missing, "create the folder")
	}
}

func TestClientWithoutAServerGivesUp(t *testing.T) {
	free, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	_, port, _ := net.SplitHostPort(free.Addr().String())
	if err := free.Close(); err != nil {
		t.Fatal(err)
	}
	client := start(t, writeLat, quick, "-d", "shm_whole", "--connect-timeout", "0", "-p", port, "127.0.0.1")
	wantEnd(t, "client", client.end(t), StatusPeer, "127.0.0.1:"+port)
}

// dial connects to a server and sends no proposal.
func dial(t *testing.T, server *program) *oob.Conn {
	t.Helper()
	conn, err := oob.Dial(t.Context(), "127.0.0.1:"+server.port(t), oob.DialOptions{Timeout: time.Minute})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { conn.Abort("", "end of the test") })
	return conn
}

func TestClientThatProposesNothingIsLeft(t *testing.T) {
	p := newProgram(t)
	a := p.app(writeLat.Program(), quick, nil)
	a.agreeLimit = time.Second
	p.goes(func(ctx context.Context) error { return a.main(ctx, writeLat, serverArgs()) })
	port := p.port(t)
	conn, err := oob.Dial(t.Context(), "127.0.0.1:"+port, oob.DialOptions{Timeout: time.Minute})
	if err != nil {
		t.Fatal(err)
	}
	<-conn.Lost()
	wantEnd(t, "silent client", conn.Err(), StatusPeer, "no message within 1s")
	client := start(t, writeLat, quick, "-d", "shm_whole", "-p", port, "127.0.0.1")
	wantEnd(t, "client", client.end(t), StatusDone)
	wantEnd(t, "server", p.end(t), StatusDone)
	if said := p.err.String(); !strings.Contains(said, "no message within 1s\n") {
		t.Errorf("server said %s", said)
	}
}

func TestHostileProposals(t *testing.T) {
	propose := func(device, plan string) string {
		return fmt.Sprintf(`{"release":"1","program":"ib_write_lat","device":{"name":%q,"backend":"shm","boot":%q},"plan":%s}`,
			device, host.BootID(), plan)
	}
	plan := func(size, rest string) string {
		return `{"sizes_bytes":[` + size + `],"tx_depth":1` + rest + `}`
	}
	for _, c := range []struct {
		name, data string
		status     int
	}{
		{"garbage", "\x00\xff", StatusDone},
		{"nothing", "", StatusDone},
		{"no plan", propose("shm_whole", `null`), StatusDone},
		{"a negative size", propose("shm_whole", plan("-1", "")), StatusDone},
		{"a huge size", propose("shm_whole", plan("1e18", "")), StatusDone},
		{"too many QPs", propose("shm_whole", plan("2", `,"qps":16385`)), StatusDone},
		{"an option of a later release", propose("shm_whole", plan("2", `,"op":"read"`)), StatusUsage},
		{"a test of a later release", strings.Replace(propose("shm_whole", plan("2", "")), "write", "teleport", 1), StatusUsage},
		{"another host without devices", strings.Replace(propose("shm_whole", plan("2", "")), host.BootID(), "x", 1), StatusUsage},
		{"an unknown device", propose("../../etc", plan("2", "")), StatusDevice},
		{"a real device as embedded", propose("fake0", plan("2", "")), StatusPeer},
	} {
		server := start(t, writeLat, quick, serverArgs()...)
		conn := dial(t, server)
		if _, err := conn.Exchange("plan", []byte(c.data)); err != nil {
			t.Fatalf("%s: %v", c.name, err)
		}
		data, err := conn.Exchange("answer", nil)
		if err != nil {
			t.Fatalf("%s: %v", c.name, err)
		}
		if a, err := oob.DecodeAnswer(data); err != nil || a.Refusal == "" {
			t.Errorf("%s: answer %s, %v, want a refusal", c.name, data, err)
		}
		if c.status == StatusDone { // a malformed proposal does not end the server
			_, port, _ := strings.Cut(conn.RemoteAddr(), ":")
			client := start(t, writeLat, quick, "-d", "shm_whole", "-p", port, "127.0.0.1")
			wantEnd(t, "the client after "+c.name, client.end(t), StatusDone)
		}
		wantEnd(t, c.name, server.end(t), c.status)
	}
}

func TestHostileAnswers(t *testing.T) {
	plan := option.Defaults(writeLat)
	good, err := plan.Encode()
	if err != nil {
		t.Fatal(err)
	}
	answerWith := func(device, plan string) string {
		return fmt.Sprintf(`{"release":"1","device":%s,"plan":%s}`, device, plan)
	}
	shm := `{"name":"shm_whole","backend":"shm","boot":"` + host.BootID() + `"}`
	for _, c := range []struct {
		name, data string
		status     int
	}{
		{"garbage", "{", StatusPeer},
		{"no device", answerWith(`{}`, string(good)), StatusPeer},
		{"no plan", answerWith(shm, `null`), StatusPeer},
		{"another size", answerWith(shm, string(good)), StatusPeer}, // the client was given 64
		{"a refusal with a class", `{"class":"refused","refusal":"not in order"}`, StatusRefused},
		{"a refusal without", `{"refusal":"no\u001b[2J"}`, StatusPeer},
	} {
		l, err := oob.Listen("127.0.0.1:0", oob.ListenOptions{})
		if err != nil {
			t.Fatal(err)
		}
		_, port, _ := net.SplitHostPort(l.Addr().String())
		client := start(t, writeLat, quick, "-d", "shm_whole", "-s", "64", "-p", port, "127.0.0.1")
		conn, err := l.Accept(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		_, err = conn.Exchange("plan", nil)
		if err == nil {
			_, err = conn.Exchange("answer", []byte(c.data))
		}
		if err != nil {
			t.Fatalf("%s: %v", c.name, err)
		}
		err = client.end(t)
		wantEnd(t, c.name, err, c.status)
		if strings.ContainsRune(err.Error(), '\x1b') {
			t.Errorf("%s: an escape sequence reaches the terminal: %q", c.name, err)
		}
		conn.Abort("", "end of the test")
		if err := l.Close(); err != nil {
			t.Error(err)
		}
	}
}
