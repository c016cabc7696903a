package shm

import (
	"sync"
	"sync/atomic"
)

// table has the objects of a kind by their numbers. The place of one is its number modulo the
// size, a power of two, here as in the directory. Numbers are counted on, from the size to most,
// so that a late peer or request hits no new object. Place 0 stays free: many zeros mean none.
type table[T any] struct {
	sync.Mutex                                      // guards enter; of regions each change, see context.replace
	pages            []atomic.Pointer[tablePage[T]] // made when they are needed first
	none             atomic.Pointer[T]              // stays nil: the place of a number whose page is not made
	size, last, most uint32
}

type tablePage[T any] [tablePlaces]atomic.Pointer[T]

const tablePlaces = 256 // in a page

func newTable[T any](size, most uint32) table[T] {
	return table[T]{pages: make([]atomic.Pointer[tablePage[T]], (size+tablePlaces-1)/tablePlaces), size: size, last: size, most: most}
}

// enter gives the object the next number whose place is free, which show makes known before the
// object can be found. It is false if no place is free.
func (t *table[T]) enter(o *T, show func(num uint32)) bool {
	t.Lock()
	defer t.Unlock()
	for range 2 * t.size { // a lap may begin anew in the middle
		if t.last == t.most {
			t.last = t.size
		}
		t.last++
		if t.last%t.size == 0 || t.at(t.last).Load() != nil {
			continue
		}
		if page := t.page(t.last); page.Load() == nil {
			page.Store(new(tablePage[T]))
		}
		show(t.last)
		t.at(t.last).Store(o)
		return true
	}
	return false
}

func (t *table[T]) page(num uint32) *atomic.Pointer[tablePage[T]] {
	return &t.pages[num%t.size/tablePlaces]
}

// at is the place of a number.
func (t *table[T]) at(num uint32) *atomic.Pointer[T] {
	p := t.page(num).Load()
	if p == nil {
		return &t.none
	}
	return &p[num%t.size%tablePlaces]
}

// all returns the objects of the table.
func (t *table[T]) all() (list []*T) {
	for i := range t.pages {
		p := t.pages[i].Load()
		for j := 0; p != nil && j < len(p); j++ {
			if o := p[j].Load(); o != nil {
				list = append(list, o)
			}
		}
	}
	return list
}
