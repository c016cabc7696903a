package shm

import (
	"sync"
	"sync/atomic"
)

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
