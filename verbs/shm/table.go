package shm

import (
	"slices"
	"sync/atomic"

	"github.com/ibperf/ibperf/verbs/shm/internal/lockorder"
)

// table holds the objects of one kind by number. An object's slot is its number modulo the size, a
// power of two, as in the directory. Numbers increase from the size to max and then start over, so
// that a late peer or request finds no newer object. Slot 0 is never used, since a zero number
// often means none.
type table[T any] struct {
	lockorder.Mutex[lockorder.Table]                                // guards insert; of the regions' table every change, see replaceRegion
	pages                            []atomic.Pointer[tablePage[T]] // allocated on first use
	absent                           atomic.Pointer[T]              // stays nil: the slot of a number whose page is not allocated
	size, last, max                  uint32
}

type tablePage[T any] [tablePageSize]atomic.Pointer[T]

const tablePageSize = 256 // slots in a page

func newTable[T any](size, most uint32) table[T] {
	return table[T]{pages: make([]atomic.Pointer[tablePage[T]], (size+tablePageSize-1)/tablePageSize), size: size, last: size, max: most}
}

// insert gives the object the next number with a free slot, and reports whether there was one. It
// calls publish before the object can be found by its number.
func (t *table[T]) insert(o *T, publish func(num uint32)) bool {
	t.Lock()
	defer t.Unlock()
	for range 2 * t.size { // numbering may start over in the middle
		if t.last == t.max {
			t.last = t.size
		}
		t.last++
		if t.last%t.size == 0 || t.slot(t.last).Load() != nil {
			continue
		}
		if page := t.page(t.last); page.Load() == nil {
			page.Store(new(tablePage[T]))
		}
		publish(t.last)
		t.slot(t.last).Store(o)
		return true
	}
	return false
}

func (t *table[T]) page(num uint32) *atomic.Pointer[tablePage[T]] {
	return &t.pages[num%t.size/tablePageSize]
}

// slot returns the slot of a number.
func (t *table[T]) slot(num uint32) *atomic.Pointer[T] {
	p := t.page(num).Load()
	if p == nil {
		return &t.absent
	}
	return &p[num%t.size%tablePageSize]
}

// all returns the objects in the table.
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

// cowList is a copy-on-write list of objects: readers keep the snapshot that they loaded.
type cowList[T any] struct {
	mu       lockorder.Mutex[lockorder.List] // serializes changes
	snapshot atomic.Pointer[[]*T]
}

func (l *cowList[T]) all() []*T {
	if list := l.snapshot.Load(); list != nil {
		return *list
	}
	return nil
}

// set adds the object to the list, or removes it, and reports whether the list changed.
func (l *cowList[T]) set(p *T, in bool) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	list := l.all()
	i := slices.Index(list, p)
	switch {
	case in == (i >= 0):
		return false
	case in:
		list = append(list, p)
	default:
		list = slices.Concat(list[:i], list[i+1:])
	}
	l.snapshot.Store(&list)
	return true
}
