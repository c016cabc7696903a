package cli

import (
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
)

func TestCheckWritable(t *testing.T) {
	dir := t.TempDir()
	file := filepath.Join(dir, "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	for _, path := range []string{file, filepath.Join(dir, "new"), "new", "/dev/null"} {
		if err := checkWritable(path); err != nil {
			t.Errorf("%s: %v", path, err)
		}
	}
	for path, want := range map[string]string{
		dir:                             "it is a folder",
		filepath.Join(dir, "no", "f"):   "create the folder " + filepath.Join(dir, "no"),
		filepath.Join(file, "f"):        "not a directory",
		strings.Repeat("x", 300) + "/f": "too long",
	} {
		if err := checkWritable(path); err == nil || !strings.Contains(err.Error(), want) || Status(err) != StatusOther {
			t.Errorf("%s: %v, want %q", path, err, want)
		}
	}
}

func TestNumbered(t *testing.T) {
	for path, want := range map[string]string{"a.json": "a.3.json", "dir.d/a": "dir.d/a.3", "a.b.json": "a.b.3.json"} {
		if got := numbered(path, 3); got != want {
			t.Errorf("numbered(%q) = %q, want %q", path, got, want)
		}
	}
}

func TestReadyFile(t *testing.T) {
	dir := t.TempDir()
	ready := readyFile(filepath.Join(dir, "ready"))
	for range 2 { // the second time over the first
		if err := ready.check(); err != nil {
			t.Fatal(err)
		}
		if err := ready.write(18515); err != nil {
			t.Fatal(err)
		}
	}
	if text, err := os.ReadFile(string(ready)); err != nil || string(text) != "18515\n" {
		t.Errorf("ready file: %q, %v", text, err)
	}
	for range 2 { // the second time it is gone
		if err := ready.remove(); err != nil {
			t.Error(err)
		}
	}
	if left, err := os.ReadDir(dir); err != nil || len(left) > 0 {
		t.Errorf("left in the folder: %v, %v", left, err)
	}
}

func TestReadyFileLeavesFilesBesideItAlone(t *testing.T) {
	dir := t.TempDir()
	ready := readyFile(filepath.Join(dir, "ready"))
	beside := string(ready) + "." + strconv.Itoa(os.Getpid())
	if err := os.WriteFile(beside, []byte("mine"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := ready.write(18515); err != nil {
		t.Fatal(err)
	}
	if text, err := os.ReadFile(beside); err != nil || string(text) != "mine" {
		t.Errorf("the file beside it: %q, %v", text, err)
	}
}

func TestReadyFileReplacesFilesOnly(t *testing.T) {
	link := filepath.Join(t.TempDir(), "link")
	if err := os.Symlink("/dev/null", link); err != nil {
		t.Fatal(err)
	}
	for _, path := range []string{link, "/dev/null", t.TempDir()} {
		if err := readyFile(path).check(); err == nil {
			t.Errorf("%s is taken for a ready file", path)
		}
	}
	if err := readyFile("/dev/full/ready").write(1); err == nil {
		t.Error("a ready file below a device was written")
	}
}

// A server leaves the ready file of another one.
func TestReadyFileOfAnotherServerStays(t *testing.T) {
	ready := readyFile(filepath.Join(t.TempDir(), "ready"))
	if err := ready.write(18515); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(string(ready), []byte("18516\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := ready.remove(); err == nil || !strings.Contains(err.Error(), "another process has written it") {
		t.Errorf("%v", err)
	}
	if text, err := os.ReadFile(string(ready)); err != nil || string(text) != "18516\n" {
		t.Errorf("ready file: %q, %v", text, err)
	}
}
