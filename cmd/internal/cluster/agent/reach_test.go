package agent

import (
	"net"
	"strings"
	"testing"
	"time"

	"github.com/ibperf/ibperf/oob"
)

// TestJoinWaits: names that do not resolve and ports at which nothing listens yet are tried again until the limit.
func TestJoinWaits(t *testing.T) {
	socket, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	address := socket.Addr().String()
	socket.Close()
	hello := &oob.ClusterHello{Release: "v1", Rank: 1, Ranks: 2, Rails: 1, Node: "n1"}
	_, err = Join(t.Context(), []string{"no-such-name.invalid:1", address}, nil, hello, time.Second)
	for _, want := range []string{"no-such-name.invalid", address, "not within 1s (--connect-timeout)"} {
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Fatalf("no %q in error %v", want, err)
		}
	}
	go func() {
		time.Sleep(500 * time.Millisecond) // rank 0 starts later
		l, err := oob.Listen(address, oob.ListenOptions{Program: oob.Cluster})
		if err != nil {
			t.Error(err)
			return
		}
		defer l.Close()
		conn, err := l.Accept(t.Context())
		if err != nil {
			t.Error(err)
			return
		}
		defer conn.Close()
		if h, err := conn.ReceiveAgent(); err != nil || h.Rank != 1 {
			t.Errorf("hello %+v, %v", h, err)
		}
		if err := conn.AnswerAgent(&oob.ClusterWelcome{}); err != nil {
			t.Error(err)
		}
		if err := conn.SendTask(&oob.ClusterTask{Kind: oob.TaskEnd}); err != nil {
			t.Error(err)
		}
	}()
	conn, err := Join(t.Context(), []string{"no-such-name.invalid:1", address}, nil, hello, time.Minute)
	if err != nil {
		t.Fatal(err)
	}
	if err := Work(conn, &Program{}); err != nil {
		t.Error(err)
	}
}
