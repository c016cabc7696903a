package cli

import (
	"errors"
	"fmt"
	"strings"
	"syscall"
	"testing"

	"github.com/ibperf/ibperf/harness"
	"github.com/ibperf/ibperf/oob"
	"github.com/ibperf/ibperf/verbs"
)

func TestStatus(t *testing.T) {
	permission := &verbs.OpError{Verb: "open_device", Errno: syscall.EACCES}
	for _, c := range []struct {
		err  error
		want int
	}{
		{nil, StatusDone},
		{errors.New("any"), StatusOther},
		{syscall.EACCES, StatusOther}, // of a file, not of a device
		{harness.ErrInterrupted, StatusOther},
		{&peerFault{&interruptedError{"SIGINT"}}, StatusOther},
		{usage("x"), StatusUsage},
		{conflict("x"), StatusUsage},
		{&harness.DeviceError{Err: errors.New("x")}, StatusDevice},
		{verbs.ErrNoDevice, StatusDevice},
		{permission, StatusDevice},
		{&verbs.OpError{Verb: "reg_mr", Errno: syscall.EINVAL}, StatusOther},
		{&oob.PeerError{}, StatusPeer},
		{oob.ErrClosed, StatusPeer},
		{&peerFault{errors.New("x")}, StatusPeer},
		{&verbs.StatusError{Status: verbs.WCRetryExcErr}, StatusPeer},
		{&verbs.StatusError{Status: verbs.WCLocProtErr}, StatusOther},
		{&harness.DataError{}, StatusData},
		{&harness.RefusedError{}, StatusRefused},
		{errors.Join(&harness.DataError{}, errors.New("disk full")), StatusData},
	} {
		if got := Status(c.err); got != c.want {
			t.Errorf("Status(%v) = %d, want %d", c.err, got, c.want)
		}
		if c.err == nil {
			continue
		}
		if got := Status(fmt.Errorf("around: %w", c.err)); got != c.want {
			t.Errorf("Status of a wrapped %v = %d, want %d", c.err, got, c.want)
		}
	}
}

func TestReasonKeepsItsMeaningAtThePeer(t *testing.T) {
	for _, c := range []struct {
		err  error
		want int // at the peer
	}{
		{conflict("x"), StatusUsage},
		{&harness.RefusedError{Device: "d"}, StatusRefused},
		{&harness.DataError{}, StatusData},
		{&harness.DeviceError{Err: errors.New("x")}, StatusPeer},
		{&interruptedError{"SIGINT"}, StatusPeer},
		{errors.New("[usage] x"), StatusPeer},
		{errors.Join(errors.New("a"), errors.New("b")), StatusPeer},
	} {
		class, text := reason(c.err)
		remote := asRemote(fmt.Errorf("step: %w", &oob.PeerError{Peer: "host:1", Class: class, Reason: text, Aborted: true}))
		if Status(remote) != c.want {
			t.Errorf("%v arrives as status %d, want %d", c.err, Status(remote), c.want)
		}
		if text = remote.Error(); !strings.HasPrefix(text, "peer host:1 ended the run: ") || strings.ContainsAny(text, "\n") {
			t.Errorf("%v arrives as %q", c.err, text)
		}
	}
	unknown := &oob.PeerError{Peer: "host:1", Class: "later", Reason: "x", Aborted: true}
	if got := Status(asRemote(unknown)); got != StatusPeer {
		t.Errorf("an unknown class arrives as status %d, want %d", got, StatusPeer)
	}
	lost := &oob.PeerError{Peer: "host:1", Class: "usage", Reason: "is gone"}
	if got := asRemote(lost); got != error(lost) {
		t.Errorf("the loss of a peer became %v", got)
	}
}

// An error that was printed before is not printed again at the end.
func TestUnprinted(t *testing.T) {
	lost, full := &oob.PeerError{Peer: "host:1", Reason: "is gone"}, errors.New("disk full")
	printed, two := &printedError{lost}, fmt.Errorf("%w and %w", lost, full)
	for _, c := range []struct{ err, want error }{
		{nil, nil}, {full, full}, {two, two}, {printed, nil},
		{fmt.Errorf("run: %w", errors.Join(printed, nil)), nil},
		{errors.Join(fmt.Errorf("run: %w", printed), full), full},
	} {
		if got := unprinted(c.err); fmt.Sprint(got) != fmt.Sprint(c.want) {
			t.Errorf("of %v it is left: %v, want %v", c.err, got, c.want)
		}
	}
	if got := Status(printed); got != StatusPeer || printed.Error() != lost.Error() {
		t.Errorf("status %d, text %q", got, printed)
	}
}
