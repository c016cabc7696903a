package outfolder

import (
	"bytes"
	"image"
	"image/png"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// picture is a PNG file as it comes from an encoder.
func picture(t *testing.T) []byte {
	t.Helper()
	var b bytes.Buffer
	if err := png.Encode(&b, image.NewGray(image.Rect(0, 0, 2, 2))); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func write(t *testing.T, dir, name, text string) string {
	t.Helper()
	path := filepath.Join(dir, name)
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

func TestFilesAreRecognisedByTheirContent(t *testing.T) {
	plain := picture(t)
	marked, err := MarkPNG(plain)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := png.Decode(bytes.NewReader(marked)); err != nil {
		t.Errorf("a marked picture cannot be read: %v", err)
	}
	if _, err := MarkPNG(plain[:20]); err == nil {
		t.Error("a picture without a header was marked")
	}
	dir := t.TempDir()
	for _, c := range []struct {
		name, text string
		want       bool
	}{
		{"a.json", `{"version": 3, "format": "ibperf-result"}`, true},
		{"b.json", `{"format": "ibperf-caps"}`, true},
		{"c.json", `{"format": "other", "text": "ibperf-result"}`, false},
		{"d.json", `{"format": "ibperf-result"`, false},
		{"e.json", `["format", "ibperf-result"]`, false},
		{"a.html", "<html>" + PageMark, true},
		{"b.html", "<html>ibperf" + strings.Repeat(" ", markLimit) + PageMark, false},
		{"a.txt", ReportMark + "more", true},
		{"b.txt", "\n" + ReportMark, false},
		{"a.svg", "<?xml?>\n" + SVGMark + " with", true},
		{"b.svg", "<svg>", false},
		{"a.hgrm", HgrmMark + " latency]\n", true},
		{"b.hgrm", " Value\n" + HgrmMark, false},
		{"a.png", string(marked), true},
		{"b.png", string(plain), false},
		{"c.png", "", false},
		{"a", ReportMark, false},
	} {
		if got, err := Written(write(t, dir, c.name, c.text)); got != c.want || err != nil {
			t.Errorf("%s: %v, %v", c.name, got, err)
		}
	}
	link := filepath.Join(dir, "link.txt")
	if err := os.Symlink("a.txt", link); err != nil {
		t.Fatal(err)
	}
	for _, path := range []string{link, dir} {
		if got, err := Written(path); got || err != nil {
			t.Errorf("%s: %v, %v", path, got, err)
		}
	}
}

func names(t *testing.T, dir string) (all []string) {
	t.Helper()
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		all = append(all, e.Name())
	}
	return all
}

func TestStageReplacesAllOrNothing(t *testing.T) {
	dir := t.TempDir()
	write(t, dir, "a.txt", ReportMark+"old")
	foreign := write(t, dir, "b.txt", "mine")
	s, err := Begin(dir, "test")
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"a.txt", "b.txt", "c.txt"} {
		write(t, s.Dir(), name, ReportMark+"new")
	}
	if err := s.Install(); err == nil || !strings.Contains(err.Error(), "replace "+foreign) {
		t.Errorf("installed over a file of others: %v", err)
	}
	if got := names(t, dir); !slices.Equal(got, []string{"a.txt", "b.txt", filepath.Base(s.Dir())}) {
		t.Errorf("there are %q", got)
	}
	if data, err := os.ReadFile(filepath.Join(dir, "a.txt")); err != nil || string(data) != ReportMark+"old" {
		t.Errorf("a.txt is %q, %v", data, err)
	}
	if err := os.Remove(foreign); err != nil {
		t.Fatal(err)
	}
	if err := s.Install(); err != nil {
		t.Error(err)
	}
	if got := names(t, dir); !slices.Equal(got, []string{"a.txt", "b.txt", "c.txt"}) {
		t.Errorf("there are %q", got)
	}
	if data, err := os.ReadFile(filepath.Join(dir, "a.txt")); err != nil || string(data) != ReportMark+"new" {
		t.Errorf("a.txt is %q, %v", data, err)
	}
}

func TestMakeLeavesNothing(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "new", "out")
	if err := Make(dir); err != nil || len(names(t, dir)) > 0 {
		t.Errorf("%q, %v", names(t, dir), err)
	}
	file := write(t, dir, "file", "")
	if err := Make(file); err == nil || !strings.Contains(err.Error(), "create folder "+file) {
		t.Errorf("%v", err)
	}
	if err := Make("/proc/self"); err == nil {
		t.Error("/proc/self can be written to")
	}
}

func TestStageReplacesNothingOfAnotherProcess(t *testing.T) {
	for _, before := range []string{"", ReportMark + "old"} {
		dir := t.TempDir()
		if before != "" {
			write(t, dir, "a.txt", before)
		}
		s, err := Begin(dir, "test")
		if err != nil {
			t.Fatal(err)
		}
		write(t, s.Dir(), "a.txt", ReportMark+"mine")
		write(t, s.Dir(), "b.txt", ReportMark+"mine")
		path := write(t, dir, "a.txt", ReportMark+"theirs")
		if err := s.Install(); err == nil || !strings.Contains(err.Error(), "replace "+path+": another process has written it") {
			t.Errorf("installed: %v", err)
		}
		if data, err := os.ReadFile(path); err != nil || string(data) != ReportMark+"theirs" {
			t.Errorf("a.txt is %q, %v", data, err)
		}
		if got := names(t, s.Dir()); len(got) != 2 {
			t.Errorf("the stage has %q", got)
		}
	}
}

func TestMakeRefusesDanglingLink(t *testing.T) {
	link := filepath.Join(t.TempDir(), "out")
	if err := os.Symlink("nowhere", link); err != nil {
		t.Fatal(err)
	}
	if err := Make(link); err == nil || !strings.Contains(err.Error(), "symbolic link to nowhere, which does not exist") {
		t.Errorf("%v", err)
	}
}
