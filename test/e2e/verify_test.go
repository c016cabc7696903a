package e2e

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/ibperf/ibperf/result"
)

// verifyLine is a line of the journal of ib_verify, as far as the tests read it.
type verifyLine struct {
	Operation string
	Resumed   bool
	Sizes     []struct {
		Size       int `json:"size_bytes"`
		Mode       string
		Checked    uint64
		Torn       uint64
		FromClient uint64 `json:"messages_from_client"`
		FromServer uint64 `json:"messages_from_server"`
	}
}

// checkpoints returns the whole lines of a journal without the first, none if there is no journal yet.
func (w *workspace) checkpoints(dir string) (all []verifyLine) {
	w.t.Helper()
	data, err := os.ReadFile(filepath.Join(w.dir, dir, "journal.jsonl"))
	if errors.Is(err, os.ErrNotExist) {
		return nil
	}
	if err != nil {
		w.t.Fatalf("%v", err)
	}
	lines := bytes.Split(data, []byte("\n"))
	for i, line := range lines[:len(lines)-1] {
		var c verifyLine
		if err := json.Unmarshal(line, &c); err != nil {
			w.t.Fatalf("line %d of the journal: %v: %s", i+1, err, line)
		}
		if i > 0 {
			all = append(all, c)
		}
	}
	return all
}

// awaitCheckpoint waits for the first checkpoint of a client.
func (w *workspace) awaitCheckpoint(client *process, dir string) {
	w.t.Helper()
	for begun := time.Now(); len(w.checkpoints(dir)) == 0; time.Sleep(10 * time.Millisecond) {
		if client.exited() || time.Since(begun) > patience {
			w.t.Fatalf("no checkpoint was reached\n%s", client.output())
		}
	}
}

// wantCheckpoints checks the operations of a journal, and that both sides received messages of each size in memory.
func (w *workspace) wantCheckpoints(dir string, sizes int, operations ...string) {
	w.t.Helper()
	var got []string
	for _, c := range w.checkpoints(dir) {
		got = append(got, c.Operation)
		if len(c.Sizes) != sizes {
			w.t.Fatalf("a checkpoint has %d sizes, want %d", len(c.Sizes), sizes)
		}
		for _, s := range c.Sizes {
			if s.Mode != "data" || s.FromClient == 0 || s.FromServer == 0 || s.Checked < s.FromClient+s.FromServer {
				w.t.Fatalf("%s of %d bytes: %+v", c.Operation, s.Size, s)
			}
		}
	}
	if !slices.Equal(got, operations) {
		w.t.Fatalf("the checkpoints are of %q, want %q", got, operations)
	}
}

// bundled returns the files of a bundle, whose sums must be right.
func bundled(t *testing.T, path string) map[string][]byte {
	t.Helper()
	file, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	plain, err := gzip.NewReader(file)
	if err != nil {
		t.Fatal(err)
	}
	files := map[string][]byte{}
	for archive := tar.NewReader(plain); ; {
		head, err := archive.Next()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			t.Fatal(err)
		}
		if files[filepath.Base(head.Name)], err = io.ReadAll(archive); err != nil {
			t.Fatal(err)
		}
	}
	sums := string(files["SHA256SUMS"])
	delete(files, "SHA256SUMS")
	for name, data := range files {
		if line := fmt.Sprintf("%x  %s\n", sha256.Sum256(data), name); !strings.Contains(sums, line) {
			t.Errorf("%s: SHA256SUMS lacks %s: %s", path, line, sums)
		}
	}
	if n := strings.Count(sums, "\n"); n != len(files) {
		t.Errorf("%s has %d sums of %d files", path, n, len(files))
	}
	return files
}

// TestVerifyFindsNoWrongData checks a device that keeps its promise: every operation and size in both directions.
func TestVerifyFindsNoWrongData(t *testing.T) {
	w := newWorkspace(t, "out", "all.tar.gz")
	server, port := w.serve("ib_verify")
	client := w.connect("ib_verify", port, "-d", "shm_whole", "-s", "8,4096", "-D", "1500ms", "--dir", "out", "--bundle", "all.tar.gz")
	client.exits(statusDone, patience)
	server.exits(statusDone, patience)
	w.wantCheckpoints("out", 2, "write", "send", "read")
	client.prints("VERIFY  ", "of 1.5s checked", "0 of ", "messages wrong", "below ")
	files := bundled(t, filepath.Join(w.dir, "all.tar.gz"))
	for _, name := range []string{"journal.jsonl", "report.txt", "caps-client.json", "caps-server.json"} {
		if len(files[name]) == 0 {
			t.Errorf("the bundle lacks %s", name)
		}
	}
	again := w.start("ib_verify", "-p", port, "-d", "shm_whole", "--dir", "out", w.host)
	again.exits(statusOther, patience)
	again.wantStderr("journal.jsonl: it exists", "--resume")
}

// TestVerifyFindsWrongData checks a device that breaks its promise: both sides end with status 5 at the first checkpoint
// with wrong data, and its result file is kept. Where both sides share a core the receiver never polls while a
// message is being stored: each further attempt is longer.
func TestVerifyFindsWrongData(t *testing.T) {
	for _, duration := range []string{"1s", "4s", "16s"} {
		w := newWorkspace(t, "out", "all.tar.gz")
		server, port := w.serve("ib_verify")
		client := w.connect("ib_verify", port, "-d", "shm_liar", "-s", "4096", "-D", duration, "--dir", "out", "--bundle", "all.tar.gz")
		if client.wait(patience) == statusDone {
			continue
		}
		client.exits(statusData, patience)
		server.exits(statusData, patience)
		client.prints("first wrong ", "mode data: ")
		client.wantStderr("wrong data: 4096 bytes, mode data: ", "--resume --dir out")
		found := false
		for name, data := range bundled(t, filepath.Join(w.dir, "all.tar.gz")) {
			if strings.HasPrefix(name, "wrong-") {
				f, err := result.Parse(data)
				found = err == nil && len(f.Rows) == 1 && f.Rows[0].Verify.Bad() > 0
			}
		}
		if !found {
			t.Error("the bundle lacks the result file with wrong data")
		}
		return
	}
	t.Error("no wrong data was found")
}

// TestVerifyResumes kills either side after a checkpoint. The other side ends with status 4, and --resume continues
// with what has no checkpoint yet, even if the crash has left a part of a line.
func TestVerifyResumes(t *testing.T) {
	for _, victim := range []string{"client", "server"} {
		t.Run(victim, func(t *testing.T) {
			w := newWorkspace(t, "out")
			server, port := w.serve("ib_verify")
			client := w.connect("ib_verify", port, "-d", "shm_whole", "-s", "64", "-D", "6s", "--dir", "out")
			w.awaitCheckpoint(client, "out")
			killed, other := client, server
			if victim == "server" {
				killed, other = server, client
			}
			killed.signal(sigKill)
			killed.wait(patience)
			other.exits(statusPeer, lossLimit)
			_ = os.Remove(filepath.Join(w.dir, readyName)) // of a server that was killed
			before := len(w.checkpoints("out"))
			journal := filepath.Join(w.dir, "out", "journal.jsonl")
			w.appendTo(journal, `{"time":"2026-11-`)

			server, port = w.serve("ib_verify")
			client = w.connect("ib_verify", port, "-d", "shm_whole", "--resume", "--dir", "out")
			client.exits(statusDone, patience)
			server.exits(statusDone, patience)
			w.wantCheckpoints("out", 1, "write", "send", "read")
			for i, c := range w.checkpoints("out") {
				if c.Resumed != (i == before) {
					t.Errorf("checkpoint %d of %d before the crash: resumed %v", i+1, before, c.Resumed)
				}
			}
			client.prints("of 6s checked", "begun 2 times", "0 of ")

			client = w.start("ib_verify", "--resume", "--dir", "out", "-s", "8", w.host)
			client.exits(statusUsage, patience)
			client.wantStderr("--size", "comes from the journal with --resume")
		})
	}
}

// TestVerifyRefusesAnotherFirmware continues a journal of another firmware.
func TestVerifyRefusesAnotherFirmware(t *testing.T) {
	w := newWorkspace(t, "out")
	server, port := w.serve("ib_verify")
	client := w.connect("ib_verify", port, "-d", "shm_whole", "-s", "64", "-D", "3s", "--dir", "out")
	w.awaitCheckpoint(client, "out")
	client.signal(sigKill)
	client.wait(patience)
	server.exits(statusPeer, lossLimit)
	journal := filepath.Join(w.dir, "out", "journal.jsonl")
	data, err := os.ReadFile(journal)
	if err == nil {
		err = os.WriteFile(journal, bytes.ReplaceAll(data, []byte(`"firmware":"1.0"`), []byte(`"firmware":"0.9"`)), 0o666)
	}
	if err != nil {
		t.Fatal(err)
	}
	before := len(w.checkpoints("out"))
	server, port = w.serve("ib_verify")
	client = w.connect("ib_verify", port, "-d", "shm_whole", "--resume", "--dir", "out")
	client.exits(statusUsage, patience)
	server.wait(patience)
	client.wantStderr(`firmware of the client is "1.0" and was "0.9"`, "begin anew with another --dir")
	if n := len(w.checkpoints("out")); n != before {
		t.Errorf("%d checkpoints, %d before: those of another firmware were added", n, before)
	}
}

// TestVerifyNeedsAPromise refuses a device that promises no order, unless memory is to be polled regardless.
func TestVerifyNeedsAPromise(t *testing.T) {
	w := newWorkspace(t, "out", "forced")
	server, port := w.serve("ib_verify")
	client := w.connect("ib_verify", port, "-d", "shm_unordered", "-s", "64", "-D", "300ms", "--dir", "out")
	client.exits(statusRefused, patience)
	server.wait(patience)
	client.wantStderr(`shm_unordered answered "not promised"`, "--force-data")
	server, port = w.serve("ib_verify")
	client = w.connect("ib_verify", port, "-d", "shm_unordered", "-s", "8", "-D", "300ms", "--dir", "forced", "--force-data")
	client.exits(statusDone, patience) // 8 bytes arrive at once
	server.exits(statusDone, patience)
	client.prints("The device does not promise data order")
}

// prints checks that the output has texts.
func (p *process) prints(texts ...string) {
	p.t.Helper()
	for _, text := range texts {
		p.wantStdout(text)
	}
}

// appendTo appends to a file.
func (w *workspace) appendTo(path, text string) {
	w.t.Helper()
	file, err := os.OpenFile(path, os.O_WRONLY|os.O_APPEND, 0)
	if err == nil {
		_, err = file.WriteString(text)
		err = errors.Join(err, file.Close())
	}
	if err != nil {
		w.t.Fatalf("%v", err)
	}
}
