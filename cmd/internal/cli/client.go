package cli

import (
	"context"
	"errors"
	"net"
	"strconv"
	"time"

	"github.com/ibperf/ibperf/harness"
	"github.com/ibperf/ibperf/oob"
	"github.com/ibperf/ibperf/oob/perftest"
	"github.com/ibperf/ibperf/result"
)

// client connects to a server, agrees with it and runs.
func (a *app) client(ctx context.Context, o *options) error {
	if err := checkMemory(o.resolved); err != nil {
		return err
	}
	r, err := a.prepare(o)
	if err != nil {
		return err
	}
	return a.reach(ctx, r)
}

// prepare reads the secret and chooses the devices.
func (a *app) prepare(o *options) (*clientRun, error) {
	secret, err := readSecret(o.Own.SecretFile)
	if err != nil {
		return nil, err
	}
	chosen, err := chooseClient(&o.Own, o.host)
	if err != nil {
		return nil, err
	}
	return &clientRun{options: o, output: &output{console: a.console}, choices: chosen, secret: secret}, nil
}

// clientRun holds what a client needs for a run with a server.
type clientRun struct {
	options *options
	output  *output
	choices []choice // of the devices
	secret  []byte
	series  *oob.Series
	first   firstConn // of the series

	comparison *result.Comparison       // for the result file
	save       func(*result.File) error // writes the result file; nil: the options say where it goes

	wantsCaps bool // save the capabilities of both devices
	keep      func(name string, data []byte) error
}

// reach opens the devices, connects to the server and runs. It asks a busy server again. The server of a later
// test of a comparison was reached before, so its absence is a loss and not a start that is awaited.
func (a *app) reach(ctx context.Context, r *clientRun) error {
	devices, err := openAll(&r.options.Own, r.choices)
	if err != nil {
		return err
	}
	defer closeAll(devices)
	limit := r.options.Own.ConnectTimeout
	if !r.series.IsFirst() {
		limit = min(limit, returnLimit)
	}
	for begun := time.Now(); ; {
		left := max(0, limit-time.Since(begun))
		err := a.attempt(ctx, r, devices, left)
		var remote *remoteError
		if !errors.As(err, &remote) || !remote.busy || left == 0 {
			return err
		}
		select {
		case <-time.After(busyPause):
		case <-ctx.Done():
			return context.Cause(ctx)
		}
	}
}

const (
	busyPause   = 200 * time.Millisecond // after which a client asks a busy server again
	returnLimit = 3 * time.Second        // in which a server that was reached before is reached again; a lost one is reported within 5 s
)

// attempt connects to the server within a time and runs.
func (a *app) attempt(ctx context.Context, r *clientRun, devices []harness.DevicePort, within time.Duration) error {
	conn, err := dialServer(ctx, r.options, oob.DialOptions{Timeout: within, Secret: r.secret, Program: oob.Tests, Perftest: r.series == nil})
	if err != nil {
		return err
	}
	s := &peerSession{app: a, options: r.options, output: r.output, role: harness.Client, conn: conn, choice: r.choices[0].why, devices: devices, series: r.series,
		keepOpen: r.series.KeepsOpen(), comparison: r.comparison, save: r.save, wantsCaps: r.wantsCaps}
	agree := s.propose
	if version, nc := conn.Perftest(); version != "" {
		s.perftest, agree = perftest.New(nc, version, false), s.agreeWithServer
	}
	err = s.run(ctx, agree)
	r.first.take(s)
	if r.wantsCaps && (err == nil || s.peerCaps != nil) { // also of a device with wrong data
		err = errors.Join(err, r.keepCaps(s.peerCaps))
	}
	return err
}

// dialServer connects to the server of the command line.
func dialServer(ctx context.Context, o *options, d oob.DialOptions) (*oob.Conn, error) {
	d.Source = o.Own.Source
	conn, err := oob.Dial(ctx, serverAddress(o), d)
	if err != nil {
		return nil, &peerFault{err}
	}
	return conn, nil
}

// serverAddress returns host:port of the server of the command line.
func serverAddress(o *options) string { return net.JoinHostPort(o.host, strconv.Itoa(o.Own.Port)) }
