package store

import (
	"runtime"
	"sync/atomic"
	"testing"
)

func TestPublishStoresBothWords(t *testing.T) {
	rec := [4]uint64{1, 2, 3, 4}
	Publish((*[2]uint64)(rec[1:3]), 1<<63+5, 1<<62+6)
	if want := [4]uint64{1, 1<<63 + 5, 1<<62 + 6, 4}; rec != want {
		t.Errorf("got %x, want %x", rec, want)
	}
}

func TestRelease32StoresOneWord(t *testing.T) {
	p := [3]uint32{1, 2, 3}
	Release32(&p[1], 1<<31+7)
	if want := [3]uint32{1, 1<<31 + 7, 3}; p != want {
		t.Errorf("got %x, want %x", p, want)
	}
}

func TestRelease64StoresOneWord(t *testing.T) {
	p := [3]uint64{1, 2, 3}
	Release64(&p[1], 1<<63+7)
	if want := [3]uint64{1, 1<<63 + 7, 3}; p != want {
		t.Errorf("got %x, want %x", p, want)
	}
}

func TestPublishIsSeenInOrder(t *testing.T) {
	const rounds = 2_000_000
	var rec [2]uint64
	done := make(chan struct{})
	go func() {
		defer close(done)
		for v := uint64(1); v <= rounds; v++ {
			Publish(&rec, v, v)
		}
	}()
	for {
		second := atomic.LoadUint64(&rec[1])
		if first := atomic.LoadUint64(&rec[0]); first < second {
			t.Fatalf("the second word is %d while the first is %d", second, first)
		}
		if second == rounds {
			break
		}
		runtime.Gosched()
	}
	<-done
}

func TestRelease32FollowsEarlierStores(t *testing.T) {
	const rounds = 100_000
	var data [rounds]uint64
	var count uint32
	done := make(chan struct{})
	go func() {
		defer close(done)
		for i := range data {
			data[i] = uint64(i) + 1
			Release32(&count, uint32(i)+1)
		}
	}()
	for seen := uint32(0); seen < rounds; {
		n := atomic.LoadUint32(&count)
		for ; seen < n; seen++ {
			if data[seen] != uint64(seen)+1 {
				t.Fatalf("entry %d is counted and has not arrived", seen)
			}
		}
		runtime.Gosched()
	}
	<-done
}
