package shm

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"golang.org/x/sys/unix"

	"github.com/ibperf/ibperf/verbs"
)

// TestUnreachablePeers covers that the error of a connection names the cause and what to do.
func TestUnreachablePeers(t *testing.T) {
	a, b := newNode(t), newNode(t)
	gone := b.endpoint()
	check(t, b.ctx.Close())
	err := verbs.Connect(a.qp, verbs.Path{Port: 1}, verbs.AccessLocalWrite, a.endpoint(), gone)
	if err == nil || !strings.Contains(err.Error(), "its process has ended, runs on another host, or is in another network namespace") {
		t.Errorf("a context that is closed: %v", err)
	}
	for cause, want := range map[error]string{
		fmt.Errorf("socket: %w", unix.EMFILE): "raise ulimit -n",
		errNoProc:                             "/proc is not mounted",
		errors.New("of no kind"):              "peers must be processes of one user on one host",
	} {
		if text := unreachable(gone.GID, cause); !strings.Contains(text, want) || !strings.Contains(text, cause.Error()) {
			t.Errorf("%v: %s", cause, text)
		}
	}
}
