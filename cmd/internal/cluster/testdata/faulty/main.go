// faulty is ib_cluster with faulty devices, for tests. Each is the embedded device shm_whole with a fault:
//
//	slow          messages take ten times as long as on two idle CPUs, or longer
//	stopped       the process stops while it opens the device
//	pair:OWN:PEER slow while a process has the device pair:PEER:OWN open; OWN and PEER are unique on this host
package main

import (
	"fmt"
	"net"
	"os"
	"strings"
	"syscall"
	"time"

	"github.com/ibperf/ibperf/cmd/internal/cli"
	"github.com/ibperf/ibperf/cmd/internal/cluster/heatmap"
	"github.com/ibperf/ibperf/internal/testdevice"
	"github.com/ibperf/ibperf/verbs"
)

func main() {
	verbs.Register(backend{})
	os.Exit(cli.Cluster(os.Args, os.Stdout, os.Stderr, heatmap.Draw))
}

// backend has the faulty devices, by name only.
type backend struct{}

func (backend) Name() string                     { return "faulty" }
func (backend) Version() string                  { return "test" }
func (backend) Devices() ([]verbs.Device, error) { return nil, nil }
func (backend) Absence() error                   { return nil }

func (backend) Lookup(name string) (verbs.Device, error) {
	kind, names, _ := strings.Cut(name, ":")
	own, peer, _ := strings.Cut(names, ":")
	if kind != "slow" && kind != "stopped" && kind != "pair" {
		return nil, nil
	}
	whole, err := verbs.Lookup("shm_whole")
	if err != nil {
		return nil, err
	}
	return &device{whole, name, kind, own, peer}, nil
}

// device is an embedded device with a fault.
type device struct {
	verbs.Device
	name, kind, own, peer string
}

func (d *device) Name() string { return d.name }

func (d *device) Open() (verbs.Context, error) {
	inner, err := d.Device.Open()
	if err != nil {
		return nil, err
	}
	options := testdevice.Options{PostDelay: delay}
	switch d.kind {
	case "stopped":
		return nil, syscall.Kill(os.Getpid(), syscall.SIGSTOP)
	case "pair":
		if held == nil {
			if held, err = net.Listen("unix", "@"+d.own); err != nil {
				return nil, err
			}
		}
		slow := false
		options.OnModify = func(_ verbs.QP, attr *verbs.QPAttr, _ verbs.QPAttrMask) {
			slow = slow || attr.State == verbs.QPRTR && isOpen(d.peer)
		}
		options.PostDelay = func(n uint64, wr *verbs.SendWR) time.Duration {
			if !slow {
				return 0
			}
			return delay(n, wr)
		}
	}
	return testdevice.Context(inner, options), nil
}

// held shows other processes, until this one ends, that it has its device open.
var held net.Listener

// isOpen reports whether a process has a device open.
func isOpen(name string) bool {
	conn, err := net.Dial("unix", "@"+name)
	if err != nil {
		return false
	}
	if err := conn.Close(); err != nil {
		fmt.Fprintln(os.Stderr, err)
	}
	return true
}

// The delay of a slow device. Two idle CPUs need 0.1 µs for a short message, and have 10 GB/s.
const (
	slowPost = 2 * time.Microsecond
	slowRate = 1e9 // B/s of one direction
)

// delay is that of a message of a slow device.
func delay(n uint64, wr *verbs.SendWR) time.Duration {
	return slowPost + testdevice.Rate(slowRate)(n, wr)
}
