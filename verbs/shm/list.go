package shm

import (
	"slices"
	"sync"
	"sync/atomic"
)

// list is a list of objects that anybody may look at while it is changed: who still has an older
// one sees nothing of what is added behind it.
type list[T any] struct {
	mu   sync.Mutex // guards changes
	list atomic.Pointer[[]*T]
}

func (l *list[T]) all() []*T {
	if list := l.list.Load(); list != nil {
		return *list
	}
	return nil
}

// set adds the object to the list, or removes it, and tells whether that is a change.
func (l *list[T]) set(p *T, in bool) bool {
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
	l.list.Store(&list)
	return true
}
