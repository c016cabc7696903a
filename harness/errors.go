package harness

import (
	"errors"
	"fmt"
	"strings"

	"github.com/ibperf/ibperf/harness/internal/setup"
	"github.com/ibperf/ibperf/oob"
	"github.com/ibperf/ibperf/option"
	"github.com/ibperf/ibperf/result"
)

// ErrInterrupted is returned if the context ends before the run.
var ErrInterrupted = errors.New("interrupted")

// RefusedError is the error of a completion mode that is not possible: data mode without the
// device's promise, or for messages that the device keeps in the CQE; mode counter without completion
// counters.
type RefusedError struct {
	Mode       option.Mode // empty: data
	Side       string      // "this side" or "the peer"
	Device     string
	Query      string // the call that was made
	Answer     string // what the device answered
	Size       int    // bytes of a message that the device keeps in the CQE until it is polled
	Kept       int    // longest such message; 0: the answer is the reason
	NoCounters string // why this side's device has no completion counters, in mode counter
	GPU        string // that holds the messages of the side; empty: main memory does

	OnlyData bool // the peer polls memory regardless, and has no other mode
}

func (e *RefusedError) Error() string {
	if e.Mode == option.ModeCounter {
		return fmt.Sprintf("completion mode counter refused: %s; use --completion data, poll, adaptive or event", e.why())
	}
	if e.GPU != "" {
		return fmt.Sprintf("completion mode data refused: %s; use --completion poll, adaptive or event", e.why())
	}
	if e.Kept > 0 {
		return fmt.Sprintf("completion mode data refused: %s; use --completion poll or event, or messages of more than %d bytes", e.why(), e.Kept)
	}
	instead := "use --completion poll or event, or --force-data to poll memory regardless (unsafe)"
	if e.OnlyData {
		instead = "perftest does so without asking: use --force-data to do it too (unsafe)"
	}
	return fmt.Sprintf("completion mode data refused: %s, so a poller of memory may observe the last byte before earlier ones; %s", e.why(), instead)
}

// why returns what the device does or promises.
func (e *RefusedError) why() string {
	switch {
	case e.NoCounters != "":
		return fmt.Sprintf("on %s, device %s counts no WRITEs of the peer: %s", e.Side, e.Device, e.NoCounters)
	case e.Mode == option.ModeCounter:
		return fmt.Sprintf("the device of %s counts no WRITEs of its peer, which ib_caps there explains", e.Side)
	}
	if e.GPU != "" {
		return fmt.Sprintf("on %s, messages are in memory of a GPU (%s), and a promise of data order is about data that the CPU reads", e.Side, e.GPU)
	}
	if e.Kept > 0 {
		return fmt.Sprintf("on %s, device %s keeps SENDs of up to %d bytes in the CQE until it is polled, which cannot be switched off, so SENDs of %d bytes would never appear in memory",
			e.Side, e.Device, e.Kept, e.Size)
	}
	return fmt.Sprintf("%s answered %q on %s, device %s", e.Query, e.Answer, e.Side, e.Device)
}

// DataError is the error of wrong data that --verify has found.
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

// protocolError returns the error of an invalid message of the peer.
func protocolError(step, format string, args ...any) error {
	return &oob.MessageError{Exchange: step, Err: fmt.Errorf(format, args...)}
}

// DeviceError is the error of a device or port that cannot be used.
type DeviceError = setup.DeviceError
