package atomicfile

import (
	"bytes"
	"io"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"
)

// wantError fails unless an error has a text.
func wantError(t *testing.T, err error, text string) {
	t.Helper()
	if err == nil || !strings.Contains(err.Error(), text) {
		t.Errorf("the error is %v, want %q", err, text)
	}
}

// wantFiles fails unless a folder holds files with these contents and nothing else.
func wantFiles(t *testing.T, dir string, want map[string]string) {
	t.Helper()
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		data, err := os.ReadFile(filepath.Join(dir, e.Name()))
		if text, known := want[e.Name()]; !known || err != nil || string(data) != text {
			t.Errorf("%s holds %q, %v; want %q", e.Name(), data, err, text)
		}
	}
	if len(entries) != len(want) {
		t.Errorf("%d files, want %d", len(entries), len(want))
	}
}

func pipe(t *testing.T) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "pipe")
	if err := syscall.Mkfifo(path, 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

// shorten shortens the waits for the reader of a pipe.
func shorten(t *testing.T, open, read time.Duration) {
	before := pipeLimits
	t.Cleanup(func() { pipeLimits = before })
	pipeLimits.open, pipeLimits.read = open, read
}

func TestPipeWithoutReader(t *testing.T) {
	shorten(t, 50*time.Millisecond, time.Minute)
	path := pipe(t)
	if err := Check(path); err != nil {
		t.Error(err)
	}
	wantError(t, Write(path, []byte("text")), "no process reads it: start its reader first")
}

func TestPipeWhoseReaderDoesNotRead(t *testing.T) {
	shorten(t, time.Minute, 50*time.Millisecond)
	path := pipe(t)
	reader, err := os.OpenFile(path, os.O_RDONLY|syscall.O_NONBLOCK, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer reader.Close()
	wantError(t, Write(path, make([]byte, 4<<20)), "has read nothing for 50ms")
}

// The reader may come after the writer, and get all.
func TestPipeWithReader(t *testing.T) {
	path, data := pipe(t), bytes.Repeat([]byte("0123456789abcdef"), 1<<15)
	read := make(chan []byte, 1)
	go func() {
		in, err := os.Open(path)
		if err != nil {
			t.Error(err)
		}
		defer in.Close()
		got, err := io.ReadAll(in)
		if err != nil {
			t.Error(err)
		}
		read <- got
	}()
	if err := Write(path, data); err != nil {
		t.Error(err)
	}
	if got := <-read; !bytes.Equal(got, data) {
		t.Errorf("the reader got %d bytes, want %d", len(got), len(data))
	}
}

func TestDanglingLink(t *testing.T) {
	dir := t.TempDir()
	link := filepath.Join(dir, "link")
	if err := os.Symlink("nowhere", link); err != nil {
		t.Fatal(err)
	}
	for _, err := range []error{Check(link), Write(link, []byte("text"))} {
		wantError(t, err, "symbolic link to nowhere, which does not exist")
	}
	if to, err := os.Readlink(link); err != nil || to != "nowhere" {
		t.Errorf("the link is %q, %v", to, err)
	}
}

func TestLinkKeepsItsPlace(t *testing.T) {
	dir := t.TempDir()
	link := filepath.Join(dir, "link")
	if err := os.WriteFile(filepath.Join(dir, "file"), []byte("old"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink("file", link); err != nil {
		t.Fatal(err)
	}
	if err := Write(link, []byte("new")); err != nil {
		t.Error(err)
	}
	if to, err := os.Readlink(link); err != nil || to != "file" {
		t.Errorf("the link is %q, %v", to, err)
	}
	wantFiles(t, dir, map[string]string{"file": "new", "link": "new"})
}

// Another process writes the file after this one has checked it: both outputs stay.
func TestTwoWriters(t *testing.T) {
	for name, existing := range map[string]bool{"new file": false, "existing file": true} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			path := filepath.Join(dir, "a.json")
			if existing {
				if err := os.WriteFile(path, []byte("old"), 0o600); err != nil {
					t.Fatal(err)
				}
			}
			if err := Check(path); err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(path, []byte("theirs"), 0o600); err != nil {
				t.Fatal(err)
			}
			err := Write(path, []byte("mine"))
			wantError(t, err, "another process has written it since this one began: the output of this one is in "+filepath.Join(dir, "a."))
			if !Changed(path) {
				t.Error("the change was not reported")
			}
			_, beside, _ := strings.Cut(err.Error(), "is in ")
			wantFiles(t, dir, map[string]string{"a.json": "theirs", filepath.Base(beside): "mine"})
		})
	}
}

func TestOneWriterWritesOften(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "a.json")
	if err := Check(path); err != nil {
		t.Fatal(err)
	}
	for range 3 {
		if err := Write(path, []byte("mine")); err != nil || Changed(path) {
			t.Error(err)
		}
	}
	wantFiles(t, dir, map[string]string{"a.json": "mine"})
}
