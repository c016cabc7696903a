package e2e

import (
	"testing"
	"time"

	"github.com/ibperf/ibperf/option"
)

// TestClientBeforeItsServer: the client tries to connect until the server listens.
func TestClientBeforeItsServer(t *testing.T) {
	w := newWorkspace(t)
	port := reservePort(t)
	before := failedConnects(t)
	client := w.connect("ib_write_lat", port, "-d", "shm_whole", "-n", "100")
	client.await("attempts to connect", func() bool { return failedConnects(t) >= before+5 })
	if out := client.out.String(); out != "" {
		t.Errorf("without a server the client printed %s", out)
	}
	server := w.start("ib_write_lat", "--bind_source_ip", "127.0.0.1", "--port", port)
	client.exits(statusDone, patience)
	server.exits(statusDone, patience)
	client.wantRows("lat", []int{2}, []string{"data"})
}

// TestNoServer: the client gives up after --connect-timeout and names the address.
func TestNoServer(t *testing.T) {
	t.Parallel()
	w := newWorkspace(t)
	port := reservePort(t)
	client := w.connect("ib_send_bw", port, "-d", "shm_whole", "--connect-timeout", "1s")
	client.exits(statusPeer, 3*time.Second)
	client.wantStderr("connect to 127.0.0.1:"+port+": connection refused", "start the server", "--connect-timeout")
}

// TestNoServerFailsFast: with the environment's limit of 0 the client fails at once, as perftest's does.
func TestNoServerFailsFast(t *testing.T) {
	w := newWorkspace(t)
	w.env = append(w.env, option.ConnectVariable+"=0")
	client := w.connect("ib_send_bw", reservePort(t), "-d", "shm_whole")
	client.exits(statusPeer, patience)
	client.wantStderr("connection refused")
}

// TestPortInUse: a server reports that its port is in use, and the option for another one.
func TestPortInUse(t *testing.T) {
	w := newWorkspace(t)
	_, port := listen(t)
	server := w.start("ib_write_lat", "--bind_source_ip", "127.0.0.1", "--port", port)
	server.exits(statusOther, patience)
	server.wantStderr("listen on 127.0.0.1:"+port+": address already in use", "choose another port with -p")
}

// TestPersistentServer serves clients one after another and two at a time, writes a result file for
// each, and ends with status 0 at a signal.
func TestPersistentServer(t *testing.T) {
	w := newWorkspace(t, "*.json")
	server, port := w.serve("ib_write_bw", "--persistent", "--out_json_file", "all.json")
	for _, device := range []string{"shm_whole", "shm_block128", "shm_unordered"} {
		client := w.connect("ib_write_bw", port, "-d", device, "-n", "200")
		client.exits(statusDone, patience)
		client.wantSoftwareLabel(device)
	}
	one := w.connect("ib_write_bw", port, "-d", "shm_whole", "-D", "0.5")
	two := w.connect("ib_write_bw", port, "-d", "shm_block128", "-D", "0.2", "--compare", "--rounds", "4", "-s", "64")
	one.awaitMeasurement()
	two.awaitMeasurement()
	if one.exited() {
		t.Log("the two clients did not overlap")
	}
	one.exits(statusDone, patience)
	two.exits(statusDone, patience)
	two.wantRows("bw", []int{64}, compared)
	server.awaitServed(5)
	server.signal(sigTerm)
	server.exits(statusDone, stopLimit)
	for _, name := range []string{"all.1.json", "all.2.json", "all.3.json", "all.4.json", "all.5.json"} {
		if f := w.readResult(name); len(f.Rows) == 0 || f.Role != "server" {
			t.Errorf("%s: %d rows of the %s", name, len(f.Rows), f.Role)
		}
	}
}

// awaitServed waits until a persistent server has served a number of clients. A client may end before
// the server has finished with it.
func (p *process) awaitServed(clients int) {
	p.t.Helper()
	p.await("end of the last client", func() bool { return p.count(": done\n") == clients })
}

// TestPersistentServerOutlivesItsClients: a client that is killed, refused or no client at all leaves
// the server running.
func TestPersistentServerOutlivesItsClients(t *testing.T) {
	w := newWorkspace(t)
	server, port := w.serve("ib_write_lat", "--persistent", "--verify=false")
	killed := w.connect("ib_write_lat", port, "-d", "shm_whole", "-D", "30")
	killed.awaitMeasurement()
	killed.signal(sigKill)
	server.await("loss of the client", func() bool { return server.count("failed with status 4") == 1 })
	w.connect("ib_read_lat", port, "-d", "shm_whole", "--verify").exits(statusUsage, patience)
	w.connect("ib_write_lat", port, "-d", "shm_unordered", "--completion", "data").exits(statusRefused, patience)
	server.await("refusals", func() bool {
		return server.count("failed with status 2") == 1 && server.count("failed with status 6") == 1
	})
	sendText(t, port, "GET / HTTP/1.1\r\n\r\n")
	w.connect("ib_write_lat", port, "-d", "shm_whole", "-n", "100").exits(statusDone, patience)
	server.wantStderr("rejected a connection: peer 127.0.0.1:", "does not speak ibperf's protocol")
	server.awaitServed(1)
	server.signal(sigInt)
	server.exits(statusDone, stopLimit)
}
