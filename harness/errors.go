package harness

import (
	"errors"
	"fmt"
	"strings"

	"github.com/ibperf/ibperf/oob"
	"github.com/ibperf/ibperf/reports/result"
)

// ErrInterrupted is returned when the run's context ended before the run.
var ErrInterrupted = errors.New("interrupted")

// RefusedError says that the completion mode that was asked for is not to be
// had: polling memory without the device's promise, or for what is not there.
type RefusedError struct {
	Side   string // "this side" or "the peer"
	Device string
	Query  string // the call that was made
	Answer string // what the device answered
	Size   int    // of a message that the device keeps in the CQE until it is polled, in bytes
	Kept   int    // how long such messages are at most; 0: it is about the answer
}

func (e *RefusedError) Error() string {
	if e.Kept > 0 {
		return fmt.Sprintf("completion mode data refused: %s; use --completion poll or event, or messages of more than %d bytes", e.why(), e.Kept)
	}
	return fmt.Sprintf("completion mode data refused: %s, so spinning on memory may see a message's end before its middle; "+
		"use --completion poll or event, or --force-data to poll memory all the same (unsafe)", e.why())
}

// why says what the device does or promises.
func (e *RefusedError) why() string {
	if e.Kept > 0 {
		return fmt.Sprintf("on %s, device %s keeps SENDs of up to %d bytes in the CQE until it is polled, and cannot be told otherwise, so those of %d bytes would never be seen in memory",
			e.Side, e.Device, e.Kept, e.Size)
	}
	return fmt.Sprintf("%s answered %q on %s, device %s", e.Query, e.Answer, e.Side, e.Device)
}

// DataError says that --verify found wrong data.
type DataError struct {
	Rows []result.Row // those with findings
}

func (e *DataError) Error() string {
	var b strings.Builder
	b.WriteString("wrong data: ")
	for i, r := range e.Rows {
		if i > 0 {
			b.WriteString("; ")
		}
		v := r.Verify
		fmt.Fprintf(&b, "%d bytes, mode %s: %d torn, %d stale, %d duplicate of %d messages checked",
			r.Size, r.Mode, v.Torn, v.Stale, v.Duplicates, v.Messages)
		if v.First != "" {
			fmt.Fprintf(&b, " (first: %s)", v.First)
		}
	}
	return b.String()
}

// wrong says that a message of the peer is.
func wrong(step, format string, args ...any) error {
	return &oob.MessageError{Step: step, Err: fmt.Errorf(format, args...)}
}

// DeviceError says that the device or its port cannot be used.
type DeviceError struct {
	Err error
}

func (e *DeviceError) Error() string { return e.Err.Error() }

// Unwrap returns the cause.
func (e *DeviceError) Unwrap() error { return e.Err }

// mismatch says why the ports of the two sides cannot reach each other, which
// both sides find out.
type mismatch string

func (m mismatch) Error() string { return string(m) }

func mismatchf(format string, args ...any) error {
	return &DeviceError{mismatch(fmt.Sprintf(format, args...))}
}
