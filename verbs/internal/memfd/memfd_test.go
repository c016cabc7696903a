package memfd

import (
	"bytes"
	"errors"
	"os"
	"sync"
	"testing"

	"golang.org/x/sys/unix"
)

func newFile(t *testing.T, size int) *File {
	t.Helper()
	f, err := New("test", size)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { f.Close() })
	return f
}

func TestNew(t *testing.T) {
	page := os.Getpagesize()
	for _, size := range []int{1, 100, page, page + 1, 1 << 20} {
		f := newFile(t, size)
		b := f.Bytes()
		if len(b) != size || f.Addr()%uint64(page) != 0 || f.FD() < 0 {
			t.Errorf("size %d: %d bytes at %#x, descriptor %d", size, len(b), f.Addr(), f.FD())
		}
		for i := range b {
			if b[i] != 0 {
				t.Fatalf("size %d: byte %d is not zero", size, i)
			}
			b[i] = byte(i)
		}
	}
	for _, size := range []int{0, -1} {
		if _, err := New("test", size); !errors.Is(err, unix.EINVAL) {
			t.Errorf("size %d: %v", size, err)
		}
	}
}

// TestSeals covers that no process can change the size, including this one.
func TestSeals(t *testing.T) {
	f := newFile(t, 4096)
	for _, size := range []int64{0, 4095, 8192} {
		if err := unix.Ftruncate(f.FD(), size); err != unix.EPERM {
			t.Errorf("ftruncate to %d bytes: %v, want EPERM", size, err)
		}
	}
	if _, err := unix.FcntlInt(uintptr(f.FD()), unix.F_ADD_SEALS, unix.F_SEAL_WRITE); err != unix.EPERM {
		t.Errorf("adding a seal: %v, want EPERM", err)
	}
	if flags, _ := unix.FcntlInt(uintptr(f.FD()), unix.F_GETFD, 0); flags&unix.FD_CLOEXEC == 0 {
		t.Error("the descriptor lacks FD_CLOEXEC")
	}
}

// TestReadOnlyForOthers covers that the creator can write, and a later mapping cannot.
func TestReadOnlyForOthers(t *testing.T) {
	f, err := NewReadOnlyForOthers("test", 4096)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if _, err := unix.Mmap(f.FD(), 0, 4096, unix.PROT_READ|unix.PROT_WRITE, unix.MAP_SHARED); err != unix.EPERM {
		t.Errorf("mmap for writing: %v, want EPERM", err)
	}
	if _, err := unix.Pwrite(f.FD(), []byte("x"), 0); err != unix.EPERM {
		t.Errorf("pwrite: %v, want EPERM", err)
	}
	b, err := unix.Mmap(f.FD(), 0, 4096, unix.PROT_READ, unix.MAP_SHARED)
	if err != nil {
		t.Fatal(err)
	}
	defer unix.Munmap(b)
	copy(f.Bytes(), "hello")
	if !bytes.HasPrefix(b, []byte("hello")) {
		t.Errorf("the other mapping contains %q", b[:5])
	}
}

func TestHold(t *testing.T) {
	a, b := newFile(t, 5000), newFile(t, 100)
	for _, c := range []struct {
		name string
		b    []byte
		file *File
		off  int
	}{
		{"all", a.Bytes(), a, 0},
		{"inside", a.Bytes()[4000:4100], a, 4000},
		{"last byte", a.Bytes()[4999:], a, 4999},
		{"other file", b.Bytes()[99:], b, 99},
		{"beyond the size", a.Bytes()[:5000:8192][4999:5001], nil, 0},
		{"Go's heap", make([]byte, 10), nil, 0},
		{"nil", nil, nil, 0},
	} {
		f, off := Hold(c.b)
		if f != c.file || off != c.off {
			t.Errorf("%s: file %v at %d", c.name, f, off)
		}
		if f != nil {
			f.Release()
		}
	}
}

// TestCloseWhileHeld covers that the memory stays until the file is closed and all holds are
// released.
func TestCloseWhileHeld(t *testing.T) {
	f := newFile(t, 4096)
	b := f.Bytes()
	for range 2 {
		if held, _ := Hold(b); held != f {
			t.Fatal("Hold did not find the file")
		}
	}
	for range 2 {
		if err := f.Close(); err != nil {
			t.Fatal(err)
		}
	}
	if held, _ := Hold(b); held != nil {
		t.Error("Hold finds a closed file")
	}
	if err := f.Release(); err != nil {
		t.Fatal(err)
	}
	b[0] = 1 // one hold is left
	var st unix.Stat_t
	if err := unix.Fstat(f.FD(), &st); err != nil {
		t.Errorf("descriptor: %v", err)
	}
	if err := f.Release(); err != nil {
		t.Error(err)
	}
}

func TestCloseFD(t *testing.T) {
	f := newFile(t, 4096)
	if err := f.CloseFD(); err != nil {
		t.Fatal(err)
	}
	f.Bytes()[0] = 1
	if held, _ := Hold(f.Bytes()); held != nil {
		t.Error("Hold finds a closed file")
	}
	if err := f.Unmap(); err != nil {
		t.Error(err)
	}
	if err := f.Close(); err != nil {
		t.Error(err)
	}
}

func TestConcurrentFiles(t *testing.T) {
	var wg sync.WaitGroup
	for range 4 {
		wg.Go(func() {
			for range 200 {
				f, err := New("test", 4096)
				if err != nil {
					t.Error(err)
					return
				}
				if held, off := Hold(f.Bytes()[7:]); held != f || off != 7 {
					t.Errorf("found %v at %d", held, off)
				}
				f.Release()
				f.Close()
			}
		})
	}
	wg.Wait()
}

// TestRenew covers that the memory is new and at the same address, and that a process that has
// mapped the old memory keeps it.
func TestRenew(t *testing.T) {
	f := newFile(t, 5000)
	old, err := unix.Mmap(f.FD(), 0, 5000, unix.PROT_READ|unix.PROT_WRITE, unix.MAP_SHARED)
	if err != nil {
		t.Fatal(err)
	}
	defer unix.Munmap(old)
	b := f.Bytes()
	b[4999] = 1
	if err := f.Renew("test"); err != nil {
		t.Fatal(err)
	}
	if old[0] = 2; b[0] != 0 || b[4999] != 0 || old[4999] != 1 {
		t.Errorf("new memory has bytes %d and %d, want 0 and 0; old memory has %d, want 1", b[0], b[4999], old[4999])
	}
	again, err := unix.Mmap(f.FD(), 0, 5000, unix.PROT_READ|unix.PROT_WRITE, unix.MAP_SHARED)
	if err != nil {
		t.Fatal(err)
	}
	defer unix.Munmap(again)
	if b[1] = 3; again[1] != 3 {
		t.Error("the descriptor is not that of the new memory")
	}
	if err := unix.Ftruncate(f.FD(), 4096); err != unix.EPERM {
		t.Errorf("truncated: %v", err)
	}
}
