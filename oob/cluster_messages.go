package oob

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"time"

	"github.com/ibperf/ibperf/internal/printable"
)

// The names of the exchanges of ib_cluster. An agent is the client, and the coordinator in rank 0 the server.
const (
	exchangeJoin    = "join"    // the agent's ClusterHello; the coordinator sends nothing
	exchangeWelcome = "welcome" // the coordinator's ClusterWelcome; the agent sends nothing
	exchangeTask    = "task"    // the coordinator's ClusterTask; the agent sends nothing
	exchangeOutcome = "outcome" // the agent's ClusterOutcome; the coordinator sends nothing
)

// ClusterHello is the first message of an agent, of which a rank has one for each of its devices.
type ClusterHello struct {
	Release string `json:"release"`
	Job     string `json:"job"` // identity of the launcher's job; empty: not known
	Rank    int    `json:"rank"`
	Ranks   int    `json:"ranks"`
	Rail    int    `json:"rail"`            // place of the device in -d, from 0
	Rails   int    `json:"rails"`           // number of devices of each rank
	Node    string `json:"node"`            // name of the host
	Group   string `json:"group,omitempty"` // the leaf switch, as the launcher says; empty: not known
}

// ClusterWelcome is the answer to an agent: empty, or a refusal.
type ClusterWelcome struct {
	Refusal string `json:"refusal,omitempty"`
}

// The kinds of tasks.
const (
	TaskDescribe = "describe" // tell the device
	TaskServe    = "serve"    // start the server of a test; the outcome has its port
	TaskMeasure  = "measure"  // measure with a server
	TaskAwait    = "await"    // wait until the server of the test has ended
	TaskFiles    = "files"    // send the result files of the last measurement
	TaskEnd      = "end"      // the run is over: there is no outcome
)

// ClusterTask is a task of an agent, which does it in a process of its own.
type ClusterTask struct {
	Kind   string        `json:"kind"`
	Limit  time.Duration `json:"limit_ns"`          // after it the process is killed
	Host   string        `json:"host,omitempty"`    // of the server
	Port   int           `json:"port,omitempty"`    // of the server
	Verify bool          `json:"verify,omitempty"`  // check every byte
	Time   time.Duration `json:"time_ns,omitempty"` // of each test; 0: the usual one
}

// ClusterOutcome is the outcome of a task.
type ClusterOutcome struct {
	Device    *DeviceID `json:"device,omitempty"`
	Port      int       `json:"port,omitempty"`
	Bandwidth float64   `json:"bandwidth_bytes_per_s,omitempty"` // of both directions
	MedianNs  float64   `json:"latency_p50_ns,omitempty"`
	P99Ns     float64   `json:"latency_p99_ns,omitempty"`
	WrongData bool      `json:"wrong_data,omitempty"`

	Files [][]byte `json:"files,omitempty"` // result files
	Error string   `json:"error,omitempty"` // why there is nothing else
}

// answerLimit is the time within which an agent or coordinator that has nothing to wait for answers.
const answerLimit = 20 * time.Second

// ClusterBounds returns the bounds of the exchanges with an agent, whose tasks end within a limit.
func ClusterBounds(limit time.Duration) Bounds {
	return Bounds{
		exchangeWelcome: {0, 1, answerLimit}, // the agent may send its part after the coordinator has answered
		exchangeTask:    {4 << 10, 16, 0},
		exchangeOutcome: {512 << 10, 32, limit + answerLimit},
	}
}

// JoinCluster joins the run of a coordinator, and returns the coordinator's refusal as a [*PeerError].
func (c *Conn) JoinCluster(h *ClusterHello) error {
	if err := c.sendOnly(exchangeJoin, h); err != nil {
		return err
	}
	var w ClusterWelcome
	if err := c.receiveOnly(exchangeWelcome, &w); err != nil {
		return err
	}
	if w.Refusal != "" {
		return &PeerError{Peer: c.peer, Aborted: true, Reason: printable.Shorten(w.Refusal, maxRefusal)}
	}
	return nil
}

// ReceiveAgent returns the hello of an agent. A [*MessageError] says what is wrong with it.
func (c *Conn) ReceiveAgent() (ClusterHello, error) {
	var h ClusterHello
	err := c.receiveOnly(exchangeJoin, &h)
	if err == nil {
		err = messageError(exchangeJoin, checkNames(h.Release, h.Node, cmp.Or(h.Group, "none")))
	}
	return h, err
}

// AnswerAgent sends a coordinator's answer.
func (c *Conn) AnswerAgent(w *ClusterWelcome) error { return c.sendOnly(exchangeWelcome, w) }

// SendTask sends a task to an agent.
func (c *Conn) SendTask(t *ClusterTask) error { return c.sendOnly(exchangeTask, t) }

// ReceiveTask returns the next task, for which an agent waits as long as the coordinator lives.
func (c *Conn) ReceiveTask() (ClusterTask, error) {
	var t ClusterTask
	err := c.receiveOnly(exchangeTask, &t)
	return t, err
}

// SendOutcome sends the outcome of a task.
func (c *Conn) SendOutcome(o *ClusterOutcome) error { return c.sendOnly(exchangeOutcome, o) }

// ReceiveOutcome returns the outcome of a task. A [*MessageError] says what is wrong with it.
func (c *Conn) ReceiveOutcome() (ClusterOutcome, error) {
	var o ClusterOutcome
	err := c.receiveOnly(exchangeOutcome, &o)
	if err == nil {
		err = messageError(exchangeOutcome, o.check())
	}
	return o, err
}

// maxPort is the last TCP port.
const maxPort = 1<<16 - 1

// check returns an error for the first impossible value.
func (o *ClusterOutcome) check() error {
	for _, v := range []float64{o.Bandwidth, o.MedianNs, o.P99Ns} {
		if !(v >= 0) || math.IsInf(v, 0) {
			return fmt.Errorf("figure %v, want a number from 0", v)
		}
	}
	if o.Port < 0 || o.Port > maxPort {
		return fmt.Errorf("port %d, want a number from 0 to %d", o.Port, maxPort)
	}
	o.Error = printable.Shorten(o.Error, maxRefusal)
	if o.Device != nil {
		return checkNames(o.Device.Name, o.Device.Backend)
	}
	return nil
}

// sendOnly makes an exchange in which only this side sends a message.
func (c *Conn) sendOnly(exchange string, v any) error {
	mine, err := json.Marshal(v)
	if err == nil {
		_, err = c.Exchange(exchange, mine)
	}
	return err
}

// receiveOnly makes an exchange in which only the peer sends a message.
func (c *Conn) receiveOnly(exchange string, v any) error {
	data, err := c.exchangeJSON(exchange, nil)
	switch {
	case err != nil:
		return err
	case len(data) == 0:
		return messageError(exchange, errors.New("it is empty"))
	}
	return messageError(exchange, Decode(data, v))
}
