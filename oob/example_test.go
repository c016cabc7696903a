package oob_test

import (
	"context"
	"fmt"
	"time"

	"github.com/ibperf/ibperf/oob"
)

// The client sends a plan, and the server sends an answer.
func Example() {
	l, err := oob.Listen("127.0.0.1:0", oob.ListenOptions{})
	if err != nil {
		fmt.Println(err)
		return
	}
	defer l.Close()
	done := make(chan struct{})
	go func() {
		defer close(done)
		server, err := l.Accept(context.Background())
		if err != nil {
			fmt.Println(err)
			return
		}
		defer server.Close()
		plan, err := server.Exchange("plan", []byte("agreed"))
		fmt.Printf("server: %s %v\n", plan, err)
	}()
	client, err := oob.Dial(context.Background(), l.Addr().String(), oob.DialOptions{Timeout: time.Second})
	if err != nil {
		fmt.Println(err)
		return
	}
	verdict, err := client.Exchange("plan", []byte("write latency, 8 bytes"))
	client.Close()
	<-done
	fmt.Printf("client: %s %v\n", verdict, err)
	// Output:
	// server: write latency, 8 bytes <nil>
	// client: agreed <nil>
}
