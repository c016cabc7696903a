package e2e

import (
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/ibperf/ibperf/internal/compare"
	"github.com/ibperf/ibperf/option"
	"github.com/ibperf/ibperf/reports/result"
)

// compareLimit is how long a comparison of two sizes may take on a busy machine.
const compareLimit = 4 * time.Minute

// TestCompareTwoHosts: a command on each side, and the verdict at the end. What the verdict
// says of devices that promise less is tested where it is made.
func TestCompareTwoHosts(t *testing.T) {
	for _, c := range []struct {
		device string
		status int
		says   []string
	}{
		{"shm_whole", statusDone, []string{"promises whole messages", "torn 0, stale 0"}},
		{"shm_liar", statusData, []string{"BROKEN"}},
	} {
		t.Run(c.device, func(t *testing.T) {
			p := newPlace(t, "out", "all.tgz")
			server, port := p.serve("ib_compare")
			client := p.connect("ib_compare", port, "-d", c.device, "-s", "8,4096", "-D", "20ms", "--dir", "out", "--bundle", "all.tgz")
			client.ends(c.status, compareLimit)
			server.ends(c.status, patience)
			client.concludes(c.says...)
			if said := server.out.String(); said != "" {
				t.Errorf("the server printed %s", said)
			}
			p.hasAll(t, c.device)
		})
	}
}

// TestDeviceCompareTwoHosts: the verdict of a device that promises nothing.
func TestDeviceCompareTwoHosts(t *testing.T) {
	p, options := onDevice(t, "out")
	server, port := p.serve("ib_compare")
	client := p.connect("ib_compare", port, append(strings.Fields(options), "-s", "8,4096", "-D", "20ms", "--rounds", "4", "--dir", "out")...)
	client.ends(statusDone, compareLimit)
	server.ends(statusDone, patience)
	client.concludes("promises no order for WRITE, SEND and READ", "What was not measured? data: the device promises no order")
	p.hasAll(t, *deviceName)
}

// concludes checks that a verdict was printed, and what it says, whatever the line ends.
func (p *process) concludes(says ...string) {
	p.t.Helper()
	text := strings.Join(strings.Fields(p.out.String()), " ")
	for _, want := range append(says, "VERDICT", "May I rely on it?") {
		if !strings.Contains(text, want) {
			p.t.Fatalf("the verdict lacks %q:\n%s", want, text)
		}
	}
}

// hasAll checks what a comparison has left.
func (p *place) hasAll(t *testing.T, device string) {
	t.Helper()
	plan := option.Defaults(option.Test{})
	plan.Sizes = []int{8, 4096}
	for _, r := range compare.Runs(&plan) {
		f, err := result.Read(filepath.Join(p.dir, "out", r.Name+".json"))
		if err != nil {
			t.Fatal(err)
		}
		if f.Error != "" || len(f.Rows) == 0 || f.Local.Device.Name != device {
			t.Errorf("%s: device %s, %d rows, error %q", r.Name, f.Local.Device.Name, len(f.Rows), f.Error)
		}
	}
	for pattern, least := range map[string]int{"*.png": 10, "*.svg": 10, "index.html": 1, "report.txt": 1} {
		found, err := filepath.Glob(filepath.Join(p.dir, "out", pattern))
		if err != nil || len(found) < least {
			t.Errorf("%d files %s, %v", len(found), pattern, err)
		}
	}
}

// TestCompareInterrupted leaves the results of the runs before.
func TestCompareInterrupted(t *testing.T) {
	p := newPlace(t, "out")
	server, port := p.serve("ib_compare")
	client := p.connect("ib_compare", port, "-d", "shm_whole", "-s", "8", "-D", "20ms", "--dir", "out")
	client.await("third run", func() bool { return client.count("run 3 of ") == 1 })
	client.signal(sigInt)
	client.ends(statusOther, stopLimit)
	client.says("interrupted by SIGINT", "the results of ", "to draw them: ib_report -o out out/write-lat.json out/write-bw.json")
	server.ends(statusPeer, lossLimit)
}

// comparing starts a comparison whose client has come to a run, by its number.
func (p *place) comparing(number int, serverOptions ...string) (server, client *process, port string) {
	p.t.Helper()
	server, port = p.serve("ib_compare", serverOptions...)
	client = p.connect("ib_compare", port, "-d", "shm_whole", "-s", "8", "-D", "20ms", "--dir", "out")
	client.await("run", func() bool { return client.count(fmt.Sprintf("run %d of ", number)) == 1 })
	return server, client, port
}

// TestCompareKilled: a client that dies ends its series, whether in a run or between two, and the
// server that served it alone ends at once.
func TestCompareKilled(t *testing.T) {
	t.Run("in a run", func(t *testing.T) {
		p := newPlace(t, "out")
		server, client, _ := p.comparing(2)
		server.await("run", func() bool { return server.count("run 2 of ") == 1 })
		server.works(3)
		client.signal(sigKill)
		server.lost(client)
	})
	t.Run("between two runs", func(t *testing.T) {
		eventually(t, func() error {
			p := newPlace(t, "out", readyName)
			server, client, _ := p.comparing(2)
			client.signal(sigKill) // before it has connected again, if it is not faster
			server.ends(statusPeer, lossLimit)
			server.says("peer 127.0.0.1:")
			if server.count("between two runs of a series") == 0 {
				return errors.New("the client was faster")
			}
			return nil
		})
	})
	t.Run("persistent server", func(t *testing.T) {
		p := newPlace(t, "out")
		server, client, port := p.comparing(2, "--persistent")
		server.works(3)
		client.signal(sigKill)
		p.connect("ib_write_lat", port, "-d", "shm_whole", "-n", "100").ends(statusDone, patience)
		server.await("end of all runs", func() bool {
			return server.count(": done\n")+server.count("failed with status 4") == server.count(": number ")
		})
		server.signal(sigTerm)
		server.ends(statusDone, stopLimit)
	})
}
