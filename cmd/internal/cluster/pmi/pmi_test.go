package pmi

import (
	"bufio"
	"fmt"
	"net"
	"os"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"
)

// A launcher answers the lines of all ranks. A barrier ends when all have entered it.
type launcher struct {
	barrier sync.WaitGroup
	mu      sync.Mutex
	values  map[string]string
}

// serve answers the lines of a rank until it ends.
func (l *launcher) serve(c net.Conn) {
	defer c.Close()
	for lines := bufio.NewScanner(c); lines.Scan(); {
		words := map[string]string{}
		for _, word := range strings.Fields(lines.Text()) {
			name, value, _ := strings.Cut(word, "=")
			words[name] = value
		}
		answer := ""
		switch words["cmd"] {
		case "init":
			answer = "cmd=response_to_init pmi_version=1 pmi_subversion=1 rc=0"
		case "get_my_kvsname":
			answer = "cmd=my_kvsname kvsname=kvs_1"
		case "put":
			l.mu.Lock()
			l.values[words["kvsname"]+words["key"]] = words["value"]
			l.mu.Unlock()
			answer = "cmd=put_result rc=0 msg=success"
		case "barrier_in":
			l.barrier.Done()
			l.barrier.Wait()
			answer = "cmd=barrier_out"
		case "get":
			l.mu.Lock()
			value, known := l.values[words["kvsname"]+words["key"]]
			l.mu.Unlock()
			answer = "cmd=get_result rc=0 msg=success value=" + value
			if !known {
				answer = "cmd=get_result rc=-1 msg=key_not_found"
			}
		case "finalize":
			answer = "cmd=finalize_ack"
		}
		fmt.Fprintln(c, answer)
	}
}

// rank returns the descriptor of a rank.
func (l *launcher) rank(t *testing.T) int {
	t.Helper()
	pair, err := syscall.Socketpair(syscall.AF_UNIX, syscall.SOCK_STREAM, 0)
	if err != nil {
		t.Fatal(err)
	}
	file := os.NewFile(uintptr(pair[0]), "launcher")
	defer file.Close()
	c, err := net.FileConn(file)
	if err != nil {
		t.Fatal(err)
	}
	l.barrier.Add(1)
	go l.serve(c)
	return pair[1]
}

func TestShare(t *testing.T) {
	l := &launcher{values: map[string]string{}}
	fds := []int{l.rank(t), l.rank(t), l.rank(t)}
	var ranks sync.WaitGroup
	for rank, fd := range fds {
		ranks.Go(func() {
			value, err := Share(fd, rank, map[bool]string{true: "192.0.2.1;4000"}[rank == 0], time.Minute)
			if value != "192.0.2.1;4000" || err != nil {
				t.Errorf("rank %d: %q, %v", rank, value, err)
			}
		})
	}
	ranks.Wait()
}

// TestShareEnds: without one of the ranks there is an error in time.
func TestShareEnds(t *testing.T) {
	l := &launcher{values: map[string]string{}}
	fd := l.rank(t)
	l.barrier.Add(1)
	defer l.barrier.Done()
	if value, err := Share(fd, 0, "x", 50*time.Millisecond); err == nil || !strings.Contains(err.Error(), "barrier_in") {
		t.Errorf("%q, %v", value, err)
	}
}
