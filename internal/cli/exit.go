package cli

import (
	"errors"
	"strings"
	"syscall"

	"github.com/ibperf/ibperf/harness"
	"github.com/ibperf/ibperf/oob"
	"github.com/ibperf/ibperf/verbs"
)

// The exit statuses. A number is never given another meaning.
const (
	StatusDone    = 0 // the run was done and every check held
	StatusOther   = 1 // interrupted, output not written, anything not below
	StatusUsage   = 2 // options wrong, or in conflict with the peer's
	StatusDevice  = 3 // no usable device, here or at the server, or no permission
	StatusPeer    = 4 // peer unreachable, lost or timed out, or its messages wrong
	StatusData    = 5 // --verify found wrong data
	StatusRefused = 6 // completion mode refused
	StatusLimit   = 7 // a figure was below --limit_bw or --limit_msgrate
	StatusDiffers = 8 // ib_conform: a statement does not hold
)

// Status returns the exit status that an error stands for.
func Status(err error) int {
	var refused *harness.RefusedError
	var data *harness.DataError
	var told *toldError
	switch {
	case err == nil:
		return StatusDone
	case errors.As(err, new(*interruptedError)):
		return StatusOther
	case errors.As(err, &data): // of several runs, the one that matters most
		return StatusData
	case errors.As(err, &told):
		return told.status
	case errors.As(err, new(*busyError)):
		return StatusPeer
	case errors.As(err, new(*usageError)):
		return StatusUsage
	case errors.As(err, &refused):
		return StatusRefused
	case errors.As(err, new(*limitError)):
		return StatusLimit
	case errors.As(err, new(*differsError)):
		return StatusDiffers
	case isDeviceError(err):
		return StatusDevice
	case isPeerError(err):
		return StatusPeer
	}
	return StatusOther
}

func isDeviceError(err error) bool {
	var device *harness.DeviceError
	var verb *verbs.OpError
	if errors.As(err, &verb) && (verb.Errno == syscall.EACCES || verb.Errno == syscall.EPERM) {
		return true
	}
	return errors.As(err, &device) || errors.Is(err, verbs.ErrNoDevice)
}

// isPeerError knows the control channel's errors, messages that are wrong, and completions
// that say the peer's QP gave no answer.
func isPeerError(err error) bool {
	var peer *oob.PeerError
	var fault *peerFault
	var wrong *oob.MessageError
	var status *verbs.StatusError
	if errors.As(err, &status) && (status.Status == verbs.WCRetryExcErr || status.Status == verbs.WCRNRRetryExcErr) {
		return true
	}
	return errors.As(err, &peer) || errors.As(err, &fault) || errors.As(err, &wrong) || errors.Is(err, oob.ErrClosed)
}

// usageError says that the options are wrong, here or together with the peer's.
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

// usage says that this command line is wrong.
func usage(text string) error { return &usageError{text: text, here: true} }

// conflict says that the two sides do not fit together.
func conflict(text string) error { return &usageError{text: text} }

// peerFault says that the peer is at fault in a way that package oob cannot know.
type peerFault struct{ err error }

func (e *peerFault) Error() string { return e.err.Error() }
func (e *peerFault) Unwrap() error { return e.err }

// isLoss tells whether an error says that the peer is gone or silent, and not that it has ended the run.
func isLoss(err error) bool {
	var peer *oob.PeerError
	return errors.As(err, &peer) && !peer.Aborted
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

// toldError is what the peer said when it ended the run.
type toldError struct {
	status int
	text   string
	busy   bool // another attempt may do better
	over   bool // the peer makes no more runs
}

func (e *toldError) Error() string { return e.text }

// classes name the statuses that hold for both sides, whichever found the reason.
var classes = map[int]string{StatusUsage: "usage", StatusData: "data", StatusRefused: "refused"}

// classDevice is the class of a server's refusal that has no usable device.
const classDevice = "device"

// refusal is what a client is told that the server refuses.
func refusal(err error) (class, text string) {
	class, text = reason(err)
	if Status(err) == StatusDevice {
		class = classDevice
	}
	return class, text
}

// statusOf returns the status with which the side that is told a class ends.
func statusOf(class string) int {
	if class == classDevice {
		return StatusDevice
	}
	for status, c := range classes {
		if c == class {
			return status
		}
	}
	return StatusPeer
}

// reason is what the peer is told about err; the class is empty where there is none.
func reason(err error) (class, text string) {
	switch {
	case errors.As(err, new(*busyError)):
		return classBusy, oneLine(err)
	case errors.As(err, new(*interruptedError)):
		return classOver, oneLine(err)
	}
	return classes[Status(err)], oneLine(err)
}

// classBusy is the class of a server's refusal that another attempt may not meet.
const classBusy = "busy"

// classOver is the class of the end of a side that makes no more runs, such as one that was stopped.
const classOver = "over"

// busyError says that a server has no room for another run at present.
type busyError struct{ text string }

func (e *busyError) Error() string { return e.text }

// heard replaces the error of a peer that ended the run by what it said.
func heard(err error) error {
	var peer *oob.PeerError
	if !errors.As(err, &peer) || !peer.Aborted {
		return err
	}
	return &toldError{statusOf(peer.Class), peer.Error(), peer.Class == classBusy, peer.Class == classOver}
}

// isOver tells whether the peer has ended because it was stopped.
func isOver(err error) bool {
	var told *toldError
	return errors.As(err, &told) && told.over
}

// oneLine prints an error, whose parts errors.Join sets in lines, in one line.
func oneLine(err error) string { return strings.ReplaceAll(err.Error(), "\n", "; ") }
