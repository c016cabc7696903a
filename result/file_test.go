package result_test

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"syscall"
	"testing"

	"github.com/ibperf/ibperf/internal/testresult"
	"github.com/ibperf/ibperf/option"
	"github.com/ibperf/ibperf/result"
)

func TestWriteThenRead(t *testing.T) {
	path := filepath.Join(t.TempDir(), "out.json")
	for _, kind := range []option.Kind{option.KindLatency, option.KindBandwidth} {
		f := testresult.File(t, "write", kind, []int{2, 4096}, "data", "event")
		if err := f.Write(path); err != nil {
			t.Fatal(err)
		}
		got, err := result.Read(path)
		if err != nil {
			t.Fatal(err)
		}
		if !reflect.DeepEqual(got, f) {
			t.Errorf("%s: read a file other than the one written", kind)
		}
	}
}

func TestWriteSaysWhatToDo(t *testing.T) {
	dir := t.TempDir()
	long := filepath.Join(dir, strings.Repeat("x", 300))
	for _, c := range []struct {
		name, path string
		want       error
		advice     string
	}{
		{"missing folder", filepath.Join(dir, "no", "out.json"), fs.ErrNotExist, "create the folder " + filepath.Join(dir, "no")},
		{"a folder", dir, syscall.EISDIR, "name a file in it"},
		{"full disk", "/dev/full", syscall.ENOSPC, "free some space"},
		{"name too long", long, syscall.ENAMETOOLONG, ""},
	} {
		err := testresult.File(t, "read", option.KindLatency, nil).Write(c.path)
		if !errors.Is(err, c.want) {
			t.Errorf("%s: error %v, want %v", c.name, err, c.want)
			continue
		}
		if !strings.Contains(err.Error(), c.path) || !strings.Contains(err.Error(), c.advice) {
			t.Errorf("%s: error %q lacks the path or %q", c.name, err, c.advice)
		}
	}
	if left, _ := os.ReadDir(dir); len(left) != 0 {
		t.Errorf("failed writes left %v behind", left)
	}
}

func TestWriteReplacesWhatALinkNames(t *testing.T) {
	dir := t.TempDir()
	real, link := filepath.Join(dir, "real.json"), filepath.Join(dir, "link.json")
	if err := os.WriteFile(real, []byte("old"), 0o644); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(real, link); err != nil {
		t.Fatal(err)
	}
	if err := testresult.File(t, "read", option.KindLatency, nil).Write(link); err != nil {
		t.Fatal(err)
	}
	if _, err := result.Read(real); err != nil {
		t.Error(err)
	}
	if info, err := os.Lstat(link); err != nil || info.Mode()&fs.ModeSymlink == 0 {
		t.Errorf("the link is gone: %v, %v", info, err)
	}
}

func TestReadOfMissingFile(t *testing.T) {
	_, err := result.Read("/nowhere/x.json")
	if !errors.Is(err, fs.ErrNotExist) || strings.Count(err.Error(), "/nowhere/x.json") != 1 {
		t.Errorf("error is %q", err)
	}
}

// A file that is too large is refused before it is read.
func TestReadRefusesLargeFile(t *testing.T) {
	path := filepath.Join(t.TempDir(), "large.json")
	if err := os.WriteFile(path, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Truncate(path, result.MaxFileSize+1); err != nil {
		t.Fatal(err)
	}
	if _, err := result.Read(path); err == nil || !strings.Contains(err.Error(), path+": it has more than 1024 MiB, which is the limit") {
		t.Errorf("%v", err)
	}
}
