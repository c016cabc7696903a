package oob

import (
	"context"
	"errors"
	"fmt"
	"net"
	"syscall"
	"time"
)

// ListenOptions say whom to serve.
type ListenOptions struct {
	Secret []byte // clients must have the same; nil: none
}

// Listener waits for clients.
type Listener struct {
	tcp     *net.TCPListener
	options ListenOptions
	timing  timing
}

// Listen listens at addr, host:port. An empty host means all addresses of this machine, port 0
// any free port; [Listener.Addr] tells which.
func Listen(addr string, o ListenOptions) (*Listener, error) { return listen(addr, o, standard) }

func listen(addr string, o ListenOptions, t timing) (*Listener, error) {
	if err := checkSecret(o.Secret); err != nil {
		return nil, fmt.Errorf("listen on %s: %w", addr, err)
	}
	l, err := net.Listen("tcp", addr)
	if err != nil {
		return nil, listenError(addr, err)
	}
	tcp, ok := l.(*net.TCPListener)
	if !ok {
		_ = l.Close()
		return nil, fmt.Errorf("listen on %s: got a %T", addr, l)
	}
	return &Listener{tcp, o, t}, nil
}

func listenError(addr string, err error) error {
	if errors.Is(err, syscall.EADDRINUSE) {
		// An address that could be tried has a port.
		_, port, _ := net.SplitHostPort(addr)
		return fmt.Errorf("listen on %s: %w; end the server that already has port %s, "+
			"or choose another port with -p on both sides", addr, inner(err), port)
	}
	return fmt.Errorf("listen on %s: %w", addr, inner(err))
}

// Addr returns the address that the listener has.
func (l *Listener) Addr() net.Addr { return l.tcp.Addr() }

// Accept waits for the next client. A [*PeerError] concerns only a client that came and turned
// out not to be ibperf, or left: the listener is as good as before. Clients are greeted one
// after the other, so that one that stays silent holds up the next for a few seconds. Accept
// may not be called concurrently.
func (l *Listener) Accept(ctx context.Context) (*Conn, error) {
	// A deadline that cannot be set shows as an error of accept.
	_ = l.tcp.SetDeadline(time.Time{})
	release := onCancel(ctx, func() { _ = l.tcp.SetDeadline(time.Unix(1, 0)) })
	nc, err := l.tcp.Accept()
	release()
	switch {
	case err == nil:
		g := greeting{nc: nc, role: roleServer, secret: l.options.Secret, limit: l.timing.hello, timing: l.timing}
		return g.run(ctx)
	case ctx.Err() != nil:
		err = context.Cause(ctx)
	}
	return nil, fmt.Errorf("accept on %s: %w", l.Addr(), inner(err))
}

// Close stops listening. Connections that were accepted stay.
func (l *Listener) Close() error { return l.tcp.Close() }
