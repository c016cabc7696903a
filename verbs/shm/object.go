package shm

import (
	"sync"
	"sync/atomic"
	"syscall"

	"github.com/ibperf/ibperf/verbs"
)

// object is what the objects of a context have in common. One that others are made of cannot be
// closed before them.
type object struct {
	ctx    *context
	name   string // that errors tell behind the device's
	async  acks   // of asynchronous events
	using  sync.Mutex
	users  int         // that are made of it; guarded by using
	closed atomic.Bool // written under using
}

func (o *object) asyncAcks() *acks { return &o.async }

// use counts another user, and with -1 one less.
func (o *object) use(n int) {
	o.using.Lock()
	o.users += n
	o.using.Unlock()
}

// isClosed tells whether the object or its context is closed.
func (o *object) isClosed() bool { return o.closed.Load() || o.ctx.isClosed() }

// shut closes the object, unless it is in use. It tells whether it was closed before.
func (o *object) shut(verb, inUse string) (again bool, err error) {
	o.using.Lock()
	defer o.using.Unlock()
	if o.users > 0 {
		return false, o.err(verb, ebusy, inUse)
	}
	return o.closed.Swap(true), nil
}

func (o *object) err(verb string, errno syscall.Errno, detail string) error {
	return &verbs.OpError{Verb: verb, Object: o.ctx.dev.name + o.name, Errno: errno, Detail: detail}
}

func (o *object) openIn(c *context) bool { return o.ctx == c && !o.isClosed() }

// own returns what a caller has given as the T that it has to be: of the context, and open.
func own[T interface{ openIn(*context) bool }](c *context, given any) (t T, ok bool) {
	t, ok = given.(T)
	return t, ok && t.openIn(c)
}

// table has the objects of a kind by their numbers. The place of one is its number modulo the
// size, a power of two, here as in the directory. Numbers are counted on, from the size to most,
// so that a late peer or request hits no new object. Place 0 stays free: many zeros mean none.
type table[T any] struct {
	sync.Mutex // guards changes
	places     []atomic.Pointer[T]
	last, most uint32
}

func newTable[T any](size, most uint32) table[T] {
	return table[T]{places: make([]atomic.Pointer[T], size), last: size, most: most}
}

// enter gives the object the next number whose place is free, which show makes known before the
// object can be found. It is false if no place is.
func (t *table[T]) enter(o *T, show func(num uint32)) bool {
	t.Lock()
	defer t.Unlock()
	for range t.places {
		if t.last == t.most {
			t.last = uint32(len(t.places))
		}
		t.last++
		if at := t.at(t.last); at != &t.places[0] && at.Load() == nil {
			show(t.last)
			at.Store(o)
			return true
		}
	}
	return false
}

// at is the place of a number.
func (t *table[T]) at(num uint32) *atomic.Pointer[T] { return &t.places[num&uint32(len(t.places)-1)] }

// all returns the objects of the table.
func (t *table[T]) all() (list []*T) {
	for i := range t.places {
		if o := t.places[i].Load(); o != nil {
			list = append(list, o)
		}
	}
	return list
}
