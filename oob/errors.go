package oob

import (
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"strings"

	"github.com/ibperf/ibperf/internal/printable"
)

// ErrProtocol is matched by the error of a connection whose peer sent bytes that are not a frame of
// this protocol and version, or a frame out of order.
var ErrProtocol = errors.New("does not speak ibperf's protocol")

// ErrClosed is matched by the error of a connection that this side has ended.
var ErrClosed = errors.New("connection closed by this side")

// PeerError is the reason for which the peer is gone.
type PeerError struct {
	// Peer is the peer's address, host:port.
	Peer string
	// Reason is the peer's own reason when Aborted, otherwise what this side has observed. It has
	// no control characters.
	Reason string
	// Aborted reports whether the peer ended the run by an abort.
	Aborted bool
	// Class is the class of the peer's reason when Aborted, a word of at most MaxClass letters a to z,
	// or empty.
	Class string

	cause error
}

func (e *PeerError) Error() string {
	if e.Aborted {
		return fmt.Sprintf("peer %s ended the run: %s", e.Peer, e.Reason)
	}
	return fmt.Sprintf("peer %s %s", e.Peer, e.Reason)
}

// Unwrap returns the error of the connection, nil if the peer ended it by a frame.
func (e *PeerError) Unwrap() error { return e.cause }

// protocolErrorf returns an error that matches ErrProtocol.
func protocolErrorf(format string, args ...any) error {
	return fmt.Errorf("%w: %w", ErrProtocol, fmt.Errorf(format, args...))
}

// MessageError is the error of a message of the peer that is malformed, or has an impossible value.
type MessageError struct {
	Exchange string // name of the exchange, such as "row"
	Err      error
}

func (e *MessageError) Error() string {
	return fmt.Sprintf("invalid %q message from peer: %v", e.Exchange, e.Err)
}

// Unwrap returns what is wrong with the message.
func (e *MessageError) Unwrap() error { return e.Err }

// versionError is the error of a peer with another version of the protocol. It matches ErrProtocol.
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

// whyGone returns the text of an error of reading.
func whyGone(err error, t timing) string {
	switch {
	case errors.Is(err, ErrProtocol):
		return err.Error()
	case errors.Is(err, os.ErrDeadlineExceeded):
		return fmt.Sprintf("has been silent for %v", t.silence)
	}
	return "is gone: " + plain(err)
}

// inner returns an error of package net without its addresses, which the text around it has.
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

// plain returns the text of a network error's cause.
func plain(err error) string {
	switch {
	case errors.Is(err, io.ErrUnexpectedEOF):
		return "connection closed in the middle of a frame"
	case errors.Is(err, io.EOF), errors.Is(err, io.ErrClosedPipe):
		return "connection closed"
	}
	return inner(err).Error()
}

// cleanReason returns a reason as one line of printable characters, no longer than MaxReason bytes.
func cleanReason(s string) string {
	var b strings.Builder
	for _, r := range printable.Clean(s) {
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
