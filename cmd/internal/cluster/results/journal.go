package results

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"time"

	"github.com/ibperf/ibperf/internal/atomicfile"
	"github.com/ibperf/ibperf/internal/outfolder"
	"github.com/ibperf/ibperf/result"
	"golang.org/x/sys/unix"
)

// JournalName is the name of the journal in its folder: a JSON document in each line.
const JournalName = "journal.jsonl"

// The format of a journal.
const (
	journalFormat  = "ibperf-cluster-journal"
	journalVersion = 1
)

// A Head is the first line of a journal. A run that continues has the same.
type Head struct {
	result.Header
	Release  string    `json:"release"`
	Started  time.Time `json:"started"`
	Seed     uint64    `json:"seed"` // of the order of pairs
	Settings Settings  `json:"settings"`
}

// A Journal is the file of a head and of all tests. The process that has it open is the only one.
type Journal struct {
	Head  Head
	file  *os.File
	tests map[place]Test
}

// place is the place of a test in the schedule.
type place struct{ round, a, b int }

// Open begins a journal in a folder that has none, or with resume continues that of the folder. It removes the part of
// a line that a crash has left at the end.
func Open(dir string, head Head, resume bool) (*Journal, error) {
	path, flags := filepath.Join(dir, JournalName), os.O_RDWR|os.O_APPEND
	if !resume {
		if err := outfolder.Make(dir); err != nil {
			return nil, err
		}
		flags |= os.O_CREATE | os.O_EXCL
	}
	file, err := os.OpenFile(path, flags, 0o666)
	switch {
	case errors.Is(err, os.ErrExist):
		return nil, fmt.Errorf("create %s: it exists: continue its run with --resume, or name another folder with --dir", path)
	case err != nil && resume:
		return nil, fmt.Errorf("resume %s: %w", path, atomicfile.Cause(err))
	case err != nil:
		return nil, fmt.Errorf("create %s: %w", path, atomicfile.Advise(path, err))
	}
	j := &Journal{Head: head, file: file, tests: map[place]Test{}}
	err = j.lock()
	if err == nil && resume {
		err = j.read(head)
	} else if err == nil {
		j.Head.Header = result.Header{Format: journalFormat, Version: journalVersion}
		err = j.write(&j.Head)
	}
	if err != nil {
		return nil, errors.Join(err, file.Close())
	}
	return j, nil
}

// lock keeps other processes from adding to the journal until this one closes it or ends.
func (j *Journal) lock() error {
	if err := unix.Flock(int(j.file.Fd()), unix.LOCK_EX|unix.LOCK_NB); err != nil {
		return fmt.Errorf("lock %s: %w: another ib_cluster uses it", j.file.Name(), err)
	}
	return nil
}

// read reads all lines, of a run with the options of this one.
func (j *Journal) read(now Head) error {
	data, err := io.ReadAll(j.file)
	if err != nil {
		return err
	}
	whole := bytes.LastIndexByte(data, '\n') + 1
	lines := bytes.Split(bytes.TrimSuffix(data[:whole], []byte("\n")), []byte("\n"))
	if err := result.Decode(lines[0], journalFormat, journalVersion, &j.Head); err != nil {
		return fmt.Errorf("read %s: line 1: %w", j.file.Name(), err)
	}
	if j.Head.Settings != now.Settings {
		return fmt.Errorf("resume %s: it has %v, and this run %v: give the same options", j.file.Name(), &j.Head.Settings, &now.Settings)
	}
	for i, line := range lines[1:] {
		var t Test
		if err := json.Unmarshal(line, &t); err != nil {
			return fmt.Errorf("read %s: line %d: %w", j.file.Name(), i+2, err)
		}
		j.tests[place{t.Round, t.A, t.B}] = t
	}
	return j.file.Truncate(int64(whole))
}

// Find returns the test of a pair in a round, if the journal has it.
func (j *Journal) Find(round, a, b int) (Test, bool) {
	t, found := j.tests[place{round, a, b}]
	return t, found
}

// Append adds a test, which is on the disk afterwards.
func (j *Journal) Append(t Test) error { return j.write(&t) }

// write adds a line in one piece. A crash leaves all of it, or a part that [Open] removes.
func (j *Journal) write(v any) error {
	line, err := json.Marshal(v)
	if err == nil {
		_, err = j.file.Write(append(line, '\n'))
	}
	if err == nil {
		err = j.file.Sync()
	}
	if err != nil {
		return fmt.Errorf("write %s: %w", j.file.Name(), atomicfile.Advise(j.file.Name(), err))
	}
	return nil
}

// Close closes the journal.
func (j *Journal) Close() error { return j.file.Close() }
