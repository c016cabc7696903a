package oob

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
)

func enter(t *testing.T, r *ClientQueue, at string) *QueuedClient {
	t.Helper()
	s, err := r.Enter(at)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func TestClientsAreLimited(t *testing.T) {
	r := NewClientQueue(ClientLimits{All: 4, PerAddress: 3, Running: 2})
	var of []*QueuedClient
	for port := range 3 {
		of = append(of, enter(t, r, fmt.Sprintf("[::1]:%d", port)))
	}
	if !of[0].Runs() || !of[1].Runs() || of[2].Runs() || r.Running() != 2 {
		t.Errorf("%v %v %v run, %d in all", of[0].Runs(), of[1].Runs(), of[2].Runs(), r.Running())
	}
	if _, err := r.Enter("[::1]:9"); err == nil || !strings.Contains(err.Error(), "3 clients of ::1 run or wait, which is the limit for one address") {
		t.Errorf("a fourth client of an address: %v", err)
	}
	enter(t, r, "127.0.0.1:1")
	if _, err := r.Enter("127.0.0.2:1"); err == nil || !strings.Contains(err.Error(), "4 clients run or wait, which is the limit") {
		t.Errorf("a fifth client: %v", err)
	}
	of[2].Leave()
	enter(t, r, "[::1]:9")
}

// A client whose address has fewer running clients goes first, then the one that has waited for the longest.
func TestWaitingClientsTakeTurns(t *testing.T) {
	r := NewClientQueue(ClientLimits{All: 9, PerAddress: 9, Running: 2})
	a := []*QueuedClient{enter(t, r, "a:1"), enter(t, r, "a:2"), enter(t, r, "a:3"), enter(t, r, "a:4")}
	b := enter(t, r, "b:1")
	a[0].Leave()
	if !b.Runs() || a[2].Runs() {
		t.Fatalf("the client of another address: %v, of the same one: %v", b.Runs(), a[2].Runs())
	}
	a[1].Leave()
	if !a[2].Runs() || a[3].Runs() {
		t.Fatalf("the older client: %v, the younger one: %v", a[2].Runs(), a[3].Runs())
	}
	a[3].Leave() // which waits
	b.Leave()
	a[2].Leave()
	if r.Running() != 0 || len(r.all)+len(r.running)+len(r.waiting) != 0 {
		t.Errorf("left behind: %+v", r)
	}
}

func TestWaitEnds(t *testing.T) {
	r := NewClientQueue(ClientLimits{All: 2, PerAddress: 2, Running: 1})
	first, second := enter(t, r, "a:1"), enter(t, r, "a:2")
	why := errors.New("why")
	ctx, cancel := context.WithCancelCause(t.Context())
	cancel(why)
	if err := second.Wait(ctx); err != why {
		t.Errorf("Wait: %v, want the cause", err)
	}
	first.Leave()
	if err := second.Wait(t.Context()); err != nil {
		t.Error(err)
	}
}
