package cli

import (
	"errors"
	"syscall"

	"github.com/ibperf/ibperf/harness"
	"github.com/ibperf/ibperf/oob"
	"github.com/ibperf/ibperf/verbs"
)

// The exit statuses. A number is never given another meaning.
const (
	StatusDone    = 0 // the run was done and every check held
	StatusOther   = 1 // any other failure, including interruption
	StatusUsage   = 2 // wrong options, or options that conflict with the peer's
	StatusDevice  = 3 // no usable device, here or at the server, or no permission
	StatusPeer    = 4 // peer unreachable, lost or timed out, or it sent a malformed message
	StatusData    = 5 // a check of the bytes found wrong data
	StatusRefused = 6 // completion mode refused
	StatusLimit   = 7 // a figure missed a limit; ib_compare --against: this build is slower; ib_cluster: bad nodes, pairs or groups, or missed limits
	StatusDiffers = 8 // ib_conform: a statement does not hold
	StatusUnclear = 9 // NO VERDICT: a comparison was too short or too disturbed for one
)

// Status returns the exit status of an error.
func Status(err error) int {
	var refused *harness.RefusedError
	var data *harness.DataError
	var remote *remoteError
	var job *jobError
	switch {
	case err == nil:
		return StatusDone
	case errors.As(err, new(*interruptedError)):
		return StatusOther
	case errors.As(err, &job):
		return job.status
	case errors.As(err, &data): // of several runs' errors, the one that matters most
		return StatusData
	case errors.As(err, &remote):
		return remote.status
	case errors.As(err, new(*busyError)):
		return StatusPeer
	case errors.As(err, new(*usageError)):
		return StatusUsage
	case errors.As(err, &refused):
		return StatusRefused
	case errors.As(err, new(*limitError)), errors.As(err, new(*badNodesError)), errors.As(err, new(*slowerError)):
		return StatusLimit
	case errors.As(err, new(*differsError)):
		return StatusDiffers
	case errors.As(err, new(*noVerdictError)):
		return StatusUnclear
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

// isPeerError reports whether an error is one of the control channel, of a wrong message, or of a
// completion that says that the peer's QP does not answer.
func isPeerError(err error) bool {
	var peer *oob.PeerError
	var fault *peerFault
	var wrong *oob.MessageError
	var status *verbs.StatusError
	if errors.As(err, &status) && (status.Status == verbs.WCRetryExcErr || status.Status == verbs.WCRNRRetryExcErr) {
		return true
	}
	return errors.As(err, &peer) || errors.As(err, &fault) || errors.As(err, &wrong) || errors.As(err, new(*absentError)) || errors.Is(err, oob.ErrClosed)
}

// isLoss reports whether an error says that the peer is gone or silent. A peer that has ended the
// run is not lost.
func isLoss(err error) bool {
	var peer *oob.PeerError
	return errors.As(err, &peer) && !peer.Aborted
}

// Classes of a reason to end a run, for the peer's program. [oob.Conn.Abort] sends them.
const (
	classDevice = "device" // the server has no usable device
	classBusy   = "busy"   // another attempt may succeed
	classOver   = "over"   // the side makes no more runs, as one that was stopped
)

// classes holds the class of each status with which both sides end, whichever found the reason.
var classes = map[int]string{StatusUsage: "usage", StatusData: "data", StatusRefused: "refused"}

// reason returns the class and text with which the peer learns about err. The class is empty for
// statuses that this side alone ends with.
func reason(err error) (class, text string) {
	switch {
	case errors.As(err, new(*busyError)):
		return classBusy, oneLine(err)
	case errors.As(err, new(*interruptedError)):
		return classOver, oneLine(err)
	}
	return classes[Status(err)], oneLine(err)
}

// refusal returns the class and text of a server's refusal.
func refusal(err error) (class, text string) {
	class, text = reason(err)
	if Status(err) == StatusDevice {
		class = classDevice
	}
	return class, text
}

// statusOf returns the status of a side whose peer has ended the run with a class.
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
