package agent

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/ibperf/ibperf/oob"
)

// Limits of an attempt to join.
const (
	attemptLimit = 2 * time.Second // to connect
	joinLimit    = 10 * time.Second
	agentLimit   = 2 * time.Millisecond   // more of both for each agent, all of which may join at once
	pause        = 200 * time.Millisecond // before the next attempt
)

// Join connects to rank 0 at any of some addresses, which it tries side by side. It tries again until the limit,
// also when a name does not resolve yet, or when rank 0 of another job answers.
func Join(ctx context.Context, addresses []string, secret []byte, hello *oob.ClusterHello, limit time.Duration) (*oob.Conn, error) {
	late := fmt.Errorf("not within %v (--connect-timeout)", limit)
	ctx, cancel := context.WithTimeoutCause(ctx, limit, late)
	defer cancel()
	type end struct {
		conn *oob.Conn
		err  error
	}
	ends := make(chan end, len(addresses))
	for _, address := range addresses {
		go func() {
			conn, err := joinAt(ctx, address, secret, hello)
			ends <- end{conn, err}
		}()
	}
	var joined *oob.Conn
	var failed []error
	for range addresses {
		switch e := <-ends; {
		case e.err != nil:
			failed = append(failed, e.err)
		case joined == nil:
			joined = e.conn
			cancel() // of the other attempts
		default:
			e.conn.Cut("", "this rank has joined by another route")
		}
	}
	if joined != nil {
		return joined, nil
	}
	return nil, errors.Join(failed...)
}

// joinAt joins at an address, as soon as it can be reached. Its error is that of the last attempt.
func joinAt(ctx context.Context, address string, secret []byte, hello *oob.ClusterHello) (*oob.Conn, error) {
	var last error
	for {
		conn, err := attempt(ctx, address, secret, hello)
		switch {
		case err == nil:
			return conn, nil
		case ctx.Err() == nil:
			last = err
		case last == nil:
			return nil, err
		default:
			return nil, fmt.Errorf("join rank 0 at %s: %w: %w", address, context.Cause(ctx), last)
		}
		select {
		case <-time.After(pause):
		case <-ctx.Done():
		}
	}
}

func attempt(ctx context.Context, address string, secret []byte, hello *oob.ClusterHello) (*oob.Conn, error) {
	agents := hello.Ranks * hello.Rails
	more := time.Duration(agents) * agentLimit
	conn, err := oob.Dial(ctx, address, oob.DialOptions{Timeout: attemptLimit + more, Secret: secret, Program: oob.Cluster, Clients: agents})
	if err != nil {
		return nil, err
	}
	limit := joinLimit + more
	limited, cancel := context.WithTimeoutCause(ctx, limit, fmt.Errorf("rank 0 at %s did not answer within %v", address, limit))
	defer cancel()
	release := context.AfterFunc(limited, func() { conn.Cut("", context.Cause(limited).Error()) })
	err = conn.JoinCluster(hello)
	if !release() && err == nil {
		err = context.Cause(limited)
	}
	if err != nil {
		conn.Cut("", err.Error())
		return nil, err
	}
	return conn, nil
}
