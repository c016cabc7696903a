package e2e

import (
	"testing"
	"time"
)

// TestClientBeforeItsServer: the client tries until the server is there.
func TestClientBeforeItsServer(t *testing.T) {
	p := newPlace(t)
	port := reservePort(t)
	before := failedConnects(t)
	client := p.connect("ib_write_lat", port, "-d", "shm_whole", "-n", "100")
	client.await("attempts to connect", func() bool { return failedConnects(t) >= before+5 })
	if out := client.out.String(); out != "" {
		t.Errorf("the client has printed %s", out)
	}
	server := p.start("ib_write_lat", "--bind_source_ip", "127.0.0.1", "--port", port)
	client.ends(statusDone, patience)
	server.ends(statusDone, patience)
	client.wantRows("lat", []int{2}, []string{"data"})
}

// TestNoServer: the client gives up in time and says where it tried.
func TestNoServer(t *testing.T) {
	p := newPlace(t)
	port := reservePort(t)
	client := p.connect("ib_send_bw", port, "-d", "shm_whole", "--connect-timeout", "1s")
	client.ends(statusPeer, 3*time.Second)
	client.says("connect to 127.0.0.1:"+port+": connection refused", "start the server", "--connect-timeout")
}

// TestPortInUse: the second server says what to do.
func TestPortInUse(t *testing.T) {
	p := newPlace(t)
	_, port := listen(t)
	server := p.start("ib_write_lat", "--bind_source_ip", "127.0.0.1", "--port", port)
	server.ends(statusOther, patience)
	server.says("listen on 127.0.0.1:"+port+": address already in use", "choose another port with -p")
}

// TestPersistentServer serves clients one after another and two at a time, with
// a result file for each, until it is told to stop.
func TestPersistentServer(t *testing.T) {
	p := newPlace(t, "*.json")
	server, port := p.serve("ib_write_bw", "--persistent", "--out_json_file", "all.json")
	for _, device := range []string{"shm_whole", "shm_block128", "shm_unordered"} {
		client := p.connect("ib_write_bw", port, "-d", device, "-n", "200")
		client.ends(statusDone, patience)
		client.labelled(device)
	}
	one := p.connect("ib_write_bw", port, "-d", "shm_whole", "-D", "0.5")
	two := p.connect("ib_write_bw", port, "-d", "shm_block128", "-D", "0.5", "--compare", "-s", "64")
	one.runs()
	two.runs()
	if one.over() {
		t.Log("the two clients have not overlapped")
	}
	one.ends(statusDone, patience)
	two.ends(statusDone, patience)
	two.wantRows("bw", []int{64}, modes)
	server.served(5)
	server.signal(sigTerm)
	server.ends(statusDone, 2*time.Second)
	for _, name := range []string{"all.1.json", "all.2.json", "all.3.json", "all.4.json", "all.5.json"} {
		if f := p.readResult(name); len(f.Rows) == 0 || f.Role != "server" {
			t.Errorf("%s: %d rows of the %s", name, len(f.Rows), f.Role)
		}
	}
}

// served waits until a persistent server has done with a number of clients. A client may end
// before that.
func (p *process) served(clients int) {
	p.t.Helper()
	p.await("end of the last client", func() bool { return p.count(": done\n") == clients })
}

// TestPersistentServerOutlivesItsClients: one that fails, however it does, does
// not take the server with it.
func TestPersistentServerOutlivesItsClients(t *testing.T) {
	p := newPlace(t)
	server, port := p.serve("ib_write_lat", "--persistent")
	killed := p.connect("ib_write_lat", port, "-d", "shm_whole", "-D", "30")
	killed.runs()
	killed.signal(sigKill)
	server.await("loss of the client", func() bool { return server.count("failed with status 4") == 1 })
	p.connect("ib_read_lat", port, "-d", "shm_whole").ends(statusUsage, patience)
	p.connect("ib_write_lat", port, "-d", "shm_unordered", "--completion", "data").ends(statusRefused, patience)
	server.await("refusals", func() bool {
		return server.count("failed with status 2") == 1 && server.count("failed with status 6") == 1
	})
	talk(t, port, "GET / HTTP/1.1\r\n\r\n")
	p.connect("ib_write_lat", port, "-d", "shm_whole", "-n", "100").ends(statusDone, patience)
	server.says("a connection that was no client: peer 127.0.0.1:", "does not speak ibperf's protocol")
	server.served(1)
	server.signal(sigInt)
	server.ends(statusDone, 2*time.Second)
}
