package oob

import (
	"context"
	"errors"
	"fmt"
	"net"
	"slices"
	"sync"
	"syscall"
)

// ListenOptions say whom to serve.
type ListenOptions struct {
	// Secret is what clients must have too; nil: none.
	Secret []byte
	// Stranger is told of the first connection that was no client. It must not close the
	// listener; nil: nobody is told.
	Stranger func(error)
}

// maxWaiting is how many clients that were greeted may wait for Accept. One more is sent away
// before its greeting is complete, and tries again.
const maxWaiting = 64

// Listener waits for clients.
type Listener struct {
	socket  net.Listener
	options ListenOptions
	timing  timing
	cancel  context.CancelFunc // ends all greetings
	work    sync.WaitGroup     // the greetings, and what accepts connections

	mu        sync.Mutex
	changed   sync.Cond           // of all below
	visits    map[*visit]struct{} // at most maxVisits
	clients   []*Conn             // greeted, for Accept; together with promised at most maxWaiting
	promised  int                 // places in clients, to visits
	strangers int
	err       error // why no more come
}

// Listen listens at addr, host:port. An empty host means all addresses of this machine, port 0
// any free port; [Listener.Addr] tells which.
func Listen(addr string, o ListenOptions) (*Listener, error) { return listen(addr, o, standard) }

func listen(addr string, o ListenOptions, t timing) (*Listener, error) {
	if err := checkSecret(o.Secret); err != nil {
		return nil, fmt.Errorf("listen on %s: %w", addr, err)
	}
	socket, err := net.Listen("tcp", addr)
	if err != nil {
		return nil, listenError(addr, err)
	}
	return newListener(socket, o, t), nil
}

func newListener(socket net.Listener, o ListenOptions, t timing) *Listener {
	ctx, cancel := context.WithCancel(context.Background())
	l := &Listener{socket: socket, options: o, timing: t, cancel: cancel, visits: map[*visit]struct{}{}}
	l.changed.L = &l.mu
	l.work.Go(func() { l.acceptAll(ctx) })
	return l
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
func (l *Listener) Addr() net.Addr { return l.socket.Addr() }

// Strangers returns how many connections came that were no clients: they did not speak this
// version of the protocol, did not prove the secret, left or stayed silent.
func (l *Listener) Strangers() int {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.strangers
}

// Accept returns the next client, which has been greeted and has proved the secret if there is
// one. It may have left since. It is not trusted yet, see [Conn.Trust]. Connections are greeted
// while nobody waits in Accept too, each by itself, so that strangers hold up nobody. An error
// means that no more clients come, or that ctx has ended.
func (l *Listener) Accept(ctx context.Context) (*Conn, error) {
	release := context.AfterFunc(ctx, func() {
		l.mu.Lock()
		defer l.mu.Unlock()
		l.changed.Broadcast()
	})
	defer release()
	l.mu.Lock()
	defer l.mu.Unlock()
	for ctx.Err() == nil && l.err == nil && len(l.clients) == 0 {
		l.changed.Wait()
	}
	switch {
	case ctx.Err() != nil:
		return nil, fmt.Errorf("accept on %s: %w", l.Addr(), context.Cause(ctx))
	case len(l.clients) == 0:
		return nil, fmt.Errorf("accept on %s: %w", l.Addr(), inner(l.err))
	}
	c := l.clients[0]
	l.clients = slices.Delete(l.clients, 0, 1)
	return c, nil
}

// Close stops listening, breaks greetings off and tells clients that were not accepted yet.
// Connections that were accepted stay.
func (l *Listener) Close() error {
	l.cancel()
	err := l.socket.Close()
	l.work.Wait()
	l.mu.Lock()
	left := l.clients
	l.clients = nil
	l.mu.Unlock()
	var all sync.WaitGroup
	for _, c := range left {
		all.Go(func() { c.Abort("", "the server has stopped taking clients") })
	}
	all.Wait()
	return err
}
