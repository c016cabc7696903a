package offheap

import (
	"runtime"
	"testing"
)

type node struct {
	next  *node
	value uint64
}

func TestMakeAndFree(t *testing.T) {
	for _, n := range []int{0, 1, 255, 256, 257, 100_000} {
		s, err := Make[node](n)
		if err != nil || len(s) != n {
			t.Fatalf("%d values: %d, %v", n, len(s), err)
		}
		for i := range s {
			if s[i] != (node{}) {
				t.Fatalf("value %d is not zero", i)
			}
			s[i].value = uint64(i)
			if i > 0 {
				s[i-1].next = &s[i]
			}
		}
		runtime.GC() // the collector must ignore pointers within the memory
		if n > 0 {
			count := 0
			for p := &s[0]; p != nil; p = p.next {
				count++
			}
			if count != n {
				t.Errorf("a list of %d has %d nodes", n, count)
			}
		}
		if err := Free(s); err != nil {
			t.Error(err)
		}
	}
}

func TestFreeOfPrefix(t *testing.T) {
	s, err := Make[node](10)
	if err != nil {
		t.Fatal(err)
	}
	if err := Free(s[:3]); err != nil {
		t.Errorf("freeing a prefix, which frees the whole array: %v", err)
	}
	if err := Free[node](nil); err != nil {
		t.Error(err)
	}
}

func TestMakeTooMuch(t *testing.T) {
	for _, n := range []int{-1, 1 << 50, 1<<60 + 1} {
		if s, err := Make[node](n); err == nil {
			t.Errorf("%d values: got %d", n, len(s))
		}
	}
}
