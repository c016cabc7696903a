package results

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// open opens a journal, which the test closes.
func open(t *testing.T, dir string, head Head, resume bool) *Journal {
	t.Helper()
	j, err := Open(dir, head, resume)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { j.Close() })
	return j
}

// TestJournalContinues: a journal whose last line a crash has cut is continued with all whole lines.
func TestJournalContinues(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "out")
	j := open(t, dir, Head{Seed: 7, Settings: Settings{Ranks: 8, Slow: 0.1}}, false)
	for i, test := range []Test{{Round: 1, A: 0, B: 3, Bandwidth: 1e9}, {Round: 1, A: 2, B: 1, Error: "wrong data"}} {
		if err := j.Append(test); err != nil {
			t.Fatal(i, err)
		}
	}
	if _, err := Open(dir, Head{Settings: Settings{Ranks: 8, Slow: 0.1}}, true); err == nil || !strings.Contains(err.Error(), "another ib_cluster uses it") {
		t.Errorf("open twice: %v", err)
	}
	j.Close()
	path := filepath.Join(dir, JournalName)
	data, _ := os.ReadFile(path)
	if err := os.WriteFile(path, append(data, `{"round":2,"a":0`...), 0o666); err != nil {
		t.Fatal(err)
	}
	if _, err := Open(dir, Head{Settings: Settings{Ranks: 8, Slow: 0.1}}, false); err == nil || !strings.Contains(err.Error(), "--resume") {
		t.Errorf("begin again: %v", err)
	}
	if _, err := Open(dir, Head{Settings: Settings{Ranks: 9, Slow: 0.1}}, true); err == nil || !strings.Contains(err.Error(), "give the same options") {
		t.Errorf("other options: %v", err)
	}
	j = open(t, dir, Head{Seed: 9, Settings: Settings{Ranks: 8, Slow: 0.1}}, true)
	if test, found := j.Find(1, 2, 1); !found || test.Error != "wrong data" || j.Head.Seed != 7 {
		t.Errorf("found %v %+v, seed %d", found, test, j.Head.Seed)
	}
	if _, found := j.Find(2, 0, 3); found {
		t.Error("a test of another round was found")
	}
	if err := j.Append(Test{Round: 2, A: 0, B: 3}); err != nil {
		t.Fatal(err)
	}
	if data, _ = os.ReadFile(path); strings.Count(string(data), "\n") != 4 || strings.Contains(string(data), `"a":0{`) {
		t.Errorf("journal:\n%s", data)
	}
}
