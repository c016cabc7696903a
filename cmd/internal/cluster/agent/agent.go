// Package agent is the part of every rank of ib_cluster: it connects to the coordinator in rank 0, and starts a process
// for each task of the coordinator, so that one that hangs can be killed.
package agent

import (
	"fmt"

	"github.com/ibperf/ibperf/oob"
)

// Work does the tasks of a coordinator until the coordinator dismisses the agent. It returns the reason if the
// coordinator is lost.
func Work(conn *oob.Conn, p *Program) error {
	var server *process
	var files [][]byte // of the last measurement
	defer func() {
		if server != nil {
			server.end()
		}
	}()
	for {
		task, err := conn.ReceiveTask()
		if err != nil {
			return err
		}
		var outcome oob.ClusterOutcome
		switch {
		case task.Kind == oob.TaskEnd:
			return conn.Close()
		case task.Kind == oob.TaskAwait && server != nil:
			outcome = server.next(task.Limit, conn.Lost())
			server.end()
			server = nil
		case task.Kind == oob.TaskServe && server == nil:
			outcome, server = p.serve(task, conn.Lost())
		case task.Kind == oob.TaskDescribe, task.Kind == oob.TaskMeasure:
			outcome = p.do(task, conn.Lost())
			files, outcome.Files = outcome.Files, nil
		case task.Kind == oob.TaskFiles:
			outcome.Files = files
		default:
			outcome.Error = fmt.Sprintf("task %.40q cannot be done now", task.Kind)
		}
		if err := conn.SendOutcome(&outcome); err != nil {
			return err
		}
	}
}

// do starts a process for a task and returns its outcome.
func (p *Program) do(task oob.ClusterTask, stop <-chan struct{}) oob.ClusterOutcome {
	c, err := p.start(task)
	if err != nil {
		return oob.ClusterOutcome{Error: err.Error()}
	}
	defer c.end()
	return c.next(task.Limit, stop)
}

// serve starts the server of a test, and returns it if it has a port.
func (p *Program) serve(task oob.ClusterTask, stop <-chan struct{}) (oob.ClusterOutcome, *process) {
	c, err := p.start(task)
	if err != nil {
		return oob.ClusterOutcome{Error: err.Error()}, nil
	}
	outcome := c.next(task.Limit, stop)
	if outcome.Port == 0 {
		c.end()
		return outcome, nil
	}
	return outcome, c
}
