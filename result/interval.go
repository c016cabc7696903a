package result

import (
	"encoding/json"
	"time"

	"github.com/ibperf/ibperf/internal/printable"
	"github.com/ibperf/ibperf/option"
)

// IntervalFormat and IntervalVersion identify a line of --run_infinitely --format json.
const (
	IntervalFormat  = "ibperf-interval"
	IntervalVersion = 1
)

// Interval is one interval of a run without end, as one side saw it. Each line has everything that is needed
// to read it alone.
type Interval struct {
	Header
	Time    time.Time   `json:"time"` // the end of the interval, by the clock of this side
	Test    string      `json:"test"` // "write_bw"
	Role    string      `json:"role"`
	Host    string      `json:"host"`   // this side's
	Device  string      `json:"device"` // this side's
	Peer    string      `json:"peer"`   // the other side's host
	Size    int         `json:"size_bytes"`
	Mode    option.Mode `json:"mode"`
	Seconds float64     `json:"seconds"` // the measured time of the interval
	// As in a [Row].
	Latency    *Latency    `json:"latency,omitempty"`
	Bandwidth  *Bandwidth  `json:"bandwidth,omitempty"`
	FromClient *Direction  `json:"from_client,omitempty"`
	FromServer *Direction  `json:"from_server,omitempty"`
	Devices    []DeviceRow `json:"devices,omitempty"`
	Delivery   *Delivery   `json:"delivery,omitempty"`
	Verify     *Verify     `json:"verify,omitempty"`
	Warnings   []Warning   `json:"warnings"` // of the run, then of the interval
}

// NewInterval returns an interval of a run that ended at a time.
func NewInterval(f *File, r *Row, end time.Time) *Interval {
	i := &Interval{
		Header: Header{IntervalFormat, IntervalVersion}, Time: end.UTC(), Test: f.Test(), Role: f.Role,
		Host: f.Local.Host, Device: f.Local.DeviceNames(), Peer: f.Peer.Host, Size: r.Size, Mode: r.Mode, Latency: r.Latency, Bandwidth: r.Bandwidth,
		FromClient: r.FromClient, FromServer: r.FromServer, Devices: r.Devices, Delivery: r.Delivery, Verify: r.Verify, Warnings: append(append([]Warning{}, f.Warnings...), r.Warnings...),
	}
	for _, part := range r.Rounds {
		i.Seconds += part.Seconds
	}
	return i
}

// Line returns the interval as one line of JSON.
func (i *Interval) Line() ([]byte, error) {
	data, err := json.Marshal(i)
	if err != nil {
		return nil, err
	}
	return append(printable.EscapeJSON(data), '\n'), nil
}
