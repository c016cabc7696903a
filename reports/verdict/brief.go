package verdict

import (
	"encoding/json"
	"fmt"
	"reflect"

	"github.com/ibperf/ibperf/internal/printable"
	"github.com/ibperf/ibperf/internal/units"
	"github.com/ibperf/ibperf/option"
	"github.com/ibperf/ibperf/result"
)

// A Brief is the verdict in at most [MaxLines] lines, and in members for programs. Numbers are in SI
// units.
type Brief struct {
	result.Header
	Lines      []Line      `json:"lines" about:"the verdict as text: at most 12 lines of 100 characters"`
	Hosts      []string    `json:"hosts" about:"the hosts that were measured"`
	Devices    []Device    `json:"devices" about:"their devices"`
	Transports []string    `json:"transports" about:"the transports: RC, UC, ...; with a shared receive queue: RC with SRQ"`
	NoVerdict  *Withheld   `json:"no_verdict,omitempty" about:"why the figures allow no verdict; absent if they allow one. The only actions are then those of devices that promise no order"`
	Advice     string      `json:"advice" about:"what to do, in one sentence; empty if there is no verdict"`
	Actions    []Action    `json:"actions" about:"what to do, by operation"`
	Operations []Operation `json:"operations" about:"the figures of each operation at one message size"`
	Peaks      []Peak      `json:"peaks" about:"the highest bandwidth of each operation"`
	Promises   []Promise   `json:"promises" about:"what the devices answer to ibv_query_qp_data_in_order"`
	Checks     []Check     `json:"checks" about:"messages of which every byte was checked"`
	Doubts     []Doubt     `json:"doubts" about:"what makes the figures doubtful"`
	Steadiness *Steadiness `json:"steadiness,omitempty" about:"how steady the runs were; absent if no thread spun in several rounds"`
	Sleeping   []Sleeper   `json:"sleeping" about:"what modes cost while the receiver waits: those that sleep, and poll"`
	Next       Next        `json:"next" about:"the next command to run"`
}

// A Line is one line of a brief.
type Line struct {
	About string `json:"about" about:"where, advice, values, peak, allowed, doubtful, sleeping or next"`
	Label string `json:"label" about:"first word of the line; may be empty"`
	Text  string `json:"text" about:"the rest of the line; values are in columns"`
}

// Device is a device of a host.
type Device struct {
	Host     string  `json:"host" about:"name of the host"`
	Name     string  `json:"name" about:"name of the device"`
	Software string  `json:"software,omitempty" about:"what replaces hardware; absent for RDMA hardware. Figures of software say nothing about hardware"`
	LinkRate float64 `json:"link_rate_bytes_per_s,omitempty" about:"rate of the port's link in one direction; absent if unknown"`
}

// Withheld says why there is no verdict.
type Withheld struct {
	Reason string `json:"reason" about:"why"`
	Remedy string `json:"remedy" about:"what to change before measuring again"`
}

// An Action is how to wait for messages of an operation.
type Action struct {
	Op     option.Op   `json:"op" about:"the operation"`
	Where  string      `json:"where,omitempty" about:"the transport and devices, if several were measured"`
	Mode   option.Mode `json:"mode" about:"the completion mode to use: data, else poll"`
	UpTo   int         `json:"up_to_bytes,omitempty" about:"the largest message for which to use the mode, and poll above; absent if it holds at all sizes that were measured"`
	Reason string      `json:"reason" about:"faster; or why to poll: not-faster, unclear, no-promise, wrong-data, impossible, or not-compared"`
}

// An Operation has the figures of an operation at one message size.
type Operation struct {
	Op        option.Op `json:"op" about:"the operation"`
	Where     string    `json:"where,omitempty" about:"the transport and devices, if several were measured"`
	Latency   *Figures  `json:"latency,omitempty" about:"its latency; absent if not measured"`
	Bandwidth *Figures  `json:"bandwidth,omitempty" about:"its bandwidth; absent if not measured"`
}

// Figures are those of all modes at one message size.
type Figures struct {
	Size  int      `json:"size_bytes" about:"the message size"`
	Modes []Figure `json:"modes" about:"the completion modes"`
}

// A Figure is that of one mode.
type Figure struct {
	Mode     option.Mode `json:"mode" about:"the completion mode"`
	Median   float64     `json:"median_ns,omitempty" about:"the median latency"`
	Mean     float64     `json:"mean_ns,omitempty" about:"the mean latency, if there is no median"`
	Rate     float64     `json:"bytes_per_s,omitempty" about:"the bandwidth"`
	Messages float64     `json:"messages_per_s,omitempty" about:"the message rate"`
	Ratio    *Ratio      `json:"ratio,omitempty" about:"its quotient with poll's figure; absent for poll, and if the two were not compared"`
	Relation string      `json:"relation,omitempty" about:"the mode compared with poll: faster, slower, same or unclear"`
	UpTo     int         `json:"faster_up_to_bytes,omitempty" about:"the largest message up to which the mode is faster than poll; absent if it is not"`
}

// A Ratio is a ratio with its 95 % confidence interval.
type Ratio struct {
	Value float64 `json:"value" about:"the ratio"`
	Low   float64 `json:"low" about:"the lower end of its 95 % confidence interval"`
	High  float64 `json:"high" about:"the upper end"`
}

// A Peak is the highest rate of an operation.
type Peak struct {
	Op        option.Op   `json:"op" about:"the operation"`
	Where     string      `json:"where,omitempty" about:"the transport and devices, if several were measured"`
	Mode      option.Mode `json:"mode" about:"the completion mode"`
	Size      int         `json:"size_bytes" about:"the message size"`
	QPs       int         `json:"qps" about:"the number of QPs"`
	Rate      float64     `json:"bytes_per_s" about:"the bandwidth"`
	LinkShare float64     `json:"link_share,omitempty" about:"the bandwidth divided by the rate of the slower link; absent if the rate is unknown"`
	Messages  float64     `json:"messages_per_s" about:"the highest message rate of the operation, at any size"`
}

// A Promise is a device's answer about data order.
type Promise struct {
	Answer  string   `json:"answer" about:"whole message, aligned 128-byte blocks, not promised or unknown"`
	Devices []string `json:"devices" about:"the devices that wait for messages and gave this answer"`
	Ops     []string `json:"operations" about:"the operations: WRITE, SEND, READ"`
	Broken  bool     `json:"broken" about:"wrong data was found in spite of the promise"`
}

// A Check counts messages of which every byte was checked.
type Check struct {
	Modes      string `json:"modes" about:"data: mode data with a promise; forced: mode data without one; completion: modes that wait for a completion"`
	Messages   uint64 `json:"messages" about:"the checked messages"`
	Torn       uint64 `json:"torn" about:"messages that were there in parts"`
	Stale      uint64 `json:"stale" about:"messages with bytes of an older one"`
	Duplicates uint64 `json:"duplicates" about:"messages that came twice"`
}

// A Doubt is a reason to doubt figures.
type Doubt struct {
	ID    string `json:"id" about:"ended-early, forced, routing, disturbed, control, unsteady, lost, not-compared, not-measured or opcode"`
	Text  string `json:"text" about:"the reason in words"`
	Count int    `json:"count,omitempty" about:"rows, controls or tests that it concerns"`
	Of    int    `json:"of,omitempty" about:"all of them"`
}

// A Sleeper is what a mode costs at one point.
type Sleeper struct {
	Mode     option.Mode `json:"mode" about:"the completion mode"`
	Op       option.Op   `json:"op" about:"the operation"`
	Size     int         `json:"size_bytes" about:"the message size"`
	Pause    int64       `json:"pause_ns" about:"the pause between messages"`
	Offered  float64     `json:"offered_per_s,omitempty" about:"messages that were due per second; absent without a rate"`
	Latency  float64     `json:"latency_ns,omitempty" about:"the median latency, or the mean if there is no median; absent in a bandwidth test"`
	Rate     float64     `json:"bytes_per_s,omitempty" about:"the bandwidth; absent in a latency test"`
	Ratio    *Ratio      `json:"ratio,omitempty" about:"its quotient with poll's figure; absent for poll, and if the two were not compared"`
	CoreBusy float64     `json:"core_busy" about:"fraction of the time that a waiting core was busy"`
}

// Next is a command line and its purpose.
type Next struct {
	Why     string `json:"why" about:"what the command is for"`
	Command string `json:"command" about:"the command line of the client; the server's is the program alone"`
}

// JSON returns the document verdict.json.
func (b *Brief) JSON() ([]byte, error) {
	data, err := json.MarshalIndent(b, "", "  ")
	if err != nil {
		return nil, fmt.Errorf("encode the verdict: %w", err)
	}
	return append(data, '\n'), nil
}

// deviceOf returns the device of a side.
func deviceOf(s *result.Side) Device {
	return Device{printable.Clean(s.Host), printable.Clean(s.Device.Name), printable.Clean(s.Device.Software), units.Finite(s.Device.LinkRate)}
}

// FormatName and FormatVersion identify the JSON document of a brief, verdict.json. Releases may add
// members within a version.
const (
	FormatName    = "ibperf-verdict"
	FormatVersion = 1
)

// FileName is the name of the document in the folder of ib_compare.
const FileName = "verdict.json"

// SchemaID is the $id of the schema, and the address of docs/verdict.schema.json.
const SchemaID = "https://raw.githubusercontent.com/ibperf/ibperf/main/docs/verdict.schema.json"

// Schema returns the JSON Schema of verdict.json, as [result.Schema] does for result files.
func Schema(closed bool) []byte {
	return result.SchemaOf(reflect.TypeFor[Brief](), header, "Verdict of ibperf", SchemaID, closed)
}

// header begins the document.
var header = result.Header{Format: FormatName, Version: FormatVersion}
