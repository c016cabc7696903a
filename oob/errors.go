package oob

import (
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"strings"

	"github.com/ibperf/ibperf/internal/terminal"
)

// ErrProtocol is matched by the error of a connection whose peer sent what is not a frame of
// this protocol and version, or a frame out of place.
var ErrProtocol = errors.New("does not speak ibperf's protocol")

// ErrClosed is matched by the error of a connection that this side has ended.
var ErrClosed = errors.New("connection closed by this side")

// PeerError says that, and why, the peer is no longer there to work with.
type PeerError struct {
	// Peer is the peer's address, host:port.
	Peer string
	// Reason is what the peer gave when Aborted, and what was seen of it otherwise. It has
	// no control characters, whatever the peer sent.
	Reason string
	// Aborted tells that the peer ended the run and said so.
	Aborted bool
	// Class is the class of the reason that the peer gave when Aborted, a word of at most
	// MaxClass letters a to z, or empty.
	Class string

	cause error
}

func (e *PeerError) Error() string {
	if e.Aborted {
		return fmt.Sprintf("peer %s ended the run: %s", e.Peer, e.Reason)
	}
	return fmt.Sprintf("peer %s %s", e.Peer, e.Reason)
}

// Unwrap returns what was seen on the connection, nil where the peer ended it by a frame.
func (e *PeerError) Unwrap() error { return e.cause }

// protocolErrorf makes an error that matches ErrProtocol.
func protocolErrorf(format string, args ...any) error {
	return fmt.Errorf("%w: %w", ErrProtocol, fmt.Errorf(format, args...))
}

// MessageError says that a message of the peer is not what the step asks for, or has a figure
// that cannot be.
type MessageError struct {
	Step string // of the exchange, such as "row"
	Err  error
}

func (e *MessageError) Error() string {
	return fmt.Sprintf("the peer's message %q is wrong: %v", e.Step, e.Err)
}

// Unwrap returns what is wrong with it.
func (e *MessageError) Unwrap() error { return e.Err }

// versionError says that the peer has another version of the protocol. It matches ErrProtocol.
type versionError struct{ theirs byte }

func (e *versionError) Error() string {
	older := "this side"
	if e.theirs < version {
		older = "the peer's side"
	}
	return fmt.Sprintf("speaks version %d of ibperf's protocol, this side version %d; update ibperf on %s",
		e.theirs, version, older)
}

func (e *versionError) Is(target error) bool { return target == ErrProtocol }

// whyGone puts the end of reading into words.
func whyGone(err error, t timing) string {
	switch {
	case errors.Is(err, ErrProtocol):
		return err.Error()
	case errors.Is(err, os.ErrDeadlineExceeded):
		return fmt.Sprintf("has been silent for %v", t.silence)
	}
	return "is gone: " + plain(err)
}

// inner strips what net adds to an error, the addresses, which the text around it has.
func inner(err error) error {
	var op *net.OpError
	if errors.As(err, &op) {
		err = op.Err
	}
	var call *os.SyscallError
	if errors.As(err, &call) {
		err = call.Err
	}
	return err
}

// plain puts the cause of a network error into words.
func plain(err error) string {
	switch {
	case errors.Is(err, io.ErrUnexpectedEOF):
		return "connection closed in the middle of a frame"
	case errors.Is(err, io.EOF), errors.Is(err, io.ErrClosedPipe):
		return "connection closed"
	}
	return inner(err).Error()
}

// cleanReason makes a reason fit for a frame and for a terminal: one line of printable
// characters, no longer than MaxReason.
func cleanReason(s string) string {
	var b strings.Builder
	for _, r := range terminal.Clean(s) {
		if b.Len()+len(string(r)) > MaxReason {
			break
		}
		b.WriteRune(r)
	}
	if clean := strings.TrimSpace(b.String()); clean != "" {
		return clean
	}
	return "no reason given"
}
