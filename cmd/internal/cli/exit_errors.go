package cli

import (
	"errors"
	"strings"

	"github.com/ibperf/ibperf/oob"
)

// usageError is an error of the options, here or together with the peer's.
type usageError struct {
	text string
	here bool // this command line alone is wrong: --help explains it
}

func (e *usageError) Error() string {
	if e.here {
		return e.text + "; see --help"
	}
	return e.text
}

// usage returns an error of this command line.
func usage(text string) error { return &usageError{text: text, here: true} }

// conflict returns an error of two sides that do not fit together.
func conflict(text string) error { return &usageError{text: text} }

// peerFault marks an error as the peer's fault.
type peerFault struct{ err error }

func (e *peerFault) Error() string { return e.err.Error() }
func (e *peerFault) Unwrap() error { return e.err }

// busyError is the error of a server that has no room for another run at present.
type busyError struct{ text string }

func (e *busyError) Error() string { return e.text }

// remoteError is the reason for which the peer ended the run.
type remoteError struct {
	status int
	text   string
	busy   bool // another attempt may succeed
	over   bool // the peer makes no more runs
}

func (e *remoteError) Error() string { return e.text }

// asRemote returns the error of a peer that ended the run as its reason, and other errors as they
// are.
func asRemote(err error) error {
	var peer *oob.PeerError
	if !errors.As(err, &peer) || !peer.Aborted {
		return err
	}
	return &remoteError{statusOf(peer.Class), peer.Error(), peer.Class == classBusy, peer.Class == classOver}
}

// isOver reports whether the peer has ended because it was stopped.
func isOver(err error) bool {
	var remote *remoteError
	return errors.As(err, &remote) && remote.over
}

// noVerdictError is the error of a comparison that was complete and allows no verdict.
type noVerdictError struct{ text string }

func (e *noVerdictError) Error() string { return e.text }

// withheld returns the error of a comparison without a verdict, whose text says so in one line; nil if the text
// is empty. The error is not printed again if the text was.
func withheld(text string, printed bool) error {
	if text == "" {
		return nil
	}
	if printed {
		return &printedError{&noVerdictError{text}}
	}
	return &noVerdictError{text}
}

// printedError is an error that was printed before it was returned.
type printedError struct{ err error }

func (e *printedError) Error() string { return e.err.Error() }
func (e *printedError) Unwrap() error { return e.err }

// unprinted returns an error without the parts that were printed, nil if nothing is left.
func unprinted(err error) error {
	if !errors.As(err, new(*printedError)) {
		return err
	}
	switch e := err.(type) {
	case *printedError:
		return nil
	case interface{ Unwrap() []error }:
		var left []error
		for _, part := range e.Unwrap() {
			left = append(left, unprinted(part))
		}
		return errors.Join(left...)
	}
	if unprinted(errors.Unwrap(err)) == nil {
		return nil
	}
	return err
}

// oneLine returns the text of an error in one line. errors.Join puts its parts on several.
func oneLine(err error) string { return strings.ReplaceAll(err.Error(), "\n", "; ") }
