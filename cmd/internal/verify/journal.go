package verify

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"

	"github.com/ibperf/ibperf/internal/atomicfile"
	"github.com/ibperf/ibperf/option"
	"golang.org/x/sys/unix"
)

// JournalName is the name of the journal in its folder: a JSON document in each line.
const JournalName = "journal.jsonl"

// A Journal is the file of a head and its checkpoints. The process that has it open is the only one.
type Journal struct {
	Head   *Head
	Totals Totals // of all checkpoints

	file    *os.File
	last    *Checkpoint
	resumed bool                       // and no checkpoint since
	done    map[int]map[option.Op]bool // operations of each cycle
}

// Create begins a journal in a folder that has none.
func Create(dir string, h *Head) (*Journal, error) {
	path := filepath.Join(dir, JournalName)
	file, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE|os.O_EXCL|os.O_APPEND, 0o666)
	if errors.Is(err, os.ErrExist) {
		return nil, fmt.Errorf("create %s: it exists: continue its checks with --resume, or name another folder with --dir", path)
	}
	if err != nil {
		return nil, fmt.Errorf("create %s: %w", path, atomicfile.Advise(path, err))
	}
	j := &Journal{Head: h, file: file, done: map[int]map[option.Op]bool{}}
	if err := errors.Join(j.lock(), j.write(h)); err != nil {
		return nil, errors.Join(err, file.Close())
	}
	return j, nil
}

// Resume opens the journal of a folder. It removes the part of a line that a crash has left at the end.
func Resume(dir string) (*Journal, error) {
	path := filepath.Join(dir, JournalName)
	file, err := os.OpenFile(path, os.O_RDWR|os.O_APPEND, 0)
	if err != nil {
		return nil, fmt.Errorf("resume %s: %w", path, atomicfile.Cause(err))
	}
	j := &Journal{file: file, resumed: true, done: map[int]map[option.Op]bool{}}
	if err := errors.Join(j.lock(), j.read()); err != nil {
		return nil, errors.Join(err, file.Close())
	}
	return j, nil
}

// lock keeps other processes from adding to the journal until this one closes it or ends.
func (j *Journal) lock() error {
	if err := unix.Flock(int(j.file.Fd()), unix.LOCK_EX|unix.LOCK_NB); err != nil {
		return fmt.Errorf("lock %s: %w: another ib_verify uses it", j.file.Name(), err)
	}
	return nil
}

// read reads all lines.
func (j *Journal) read() error {
	data, err := io.ReadAll(j.file)
	if err != nil {
		return err
	}
	whole := bytes.LastIndexByte(data, '\n') + 1
	lines := bytes.Split(bytes.TrimSuffix(data[:whole], []byte("\n")), []byte("\n"))
	if j.Head, err = decodeHead(lines[0]); err != nil {
		return fmt.Errorf("read %s: line 1: %w", j.file.Name(), err)
	}
	for i, line := range lines[1:] {
		c := &Checkpoint{}
		if err := json.Unmarshal(line, c); err != nil {
			return fmt.Errorf("read %s: line %d: %w", j.file.Name(), i+2, err)
		}
		j.take(c)
	}
	return j.file.Truncate(int64(whole))
}

// take adds a checkpoint to the sums.
func (j *Journal) take(c *Checkpoint) {
	j.last = c
	j.Totals.add(c)
	if j.done[c.Cycle] == nil {
		j.done[c.Cycle] = map[option.Op]bool{}
	}
	j.done[c.Cycle][c.Op] = j.done[c.Cycle][c.Op] || c.Error == ""
}

// Left returns the operations of a cycle that have no checkpoint yet.
func (j *Journal) Left(cycle int) []option.Op {
	return slices.DeleteFunc(slices.Clone(j.Head.Ops), func(op option.Op) bool { return j.done[cycle][op] })
}

// Complete reports whether nothing is left to check.
func (j *Journal) Complete() bool {
	for cycle := j.Head.Cycles; cycle > 0; cycle-- {
		if len(j.Left(cycle)) > 0 {
			return false
		}
	}
	return true
}

// Append adds a checkpoint, which is on the disk afterwards. It notes in the checkpoint what has changed since the
// one before. With a [DifferentError] nothing was added.
func (j *Journal) Append(c *Checkpoint) error {
	if j.last != nil {
		if err := c.follow(j.last); err != nil {
			return err
		}
	}
	c.Resumed, j.resumed = j.resumed, false
	if err := j.write(c); err != nil {
		return err
	}
	j.take(c)
	return nil
}

// write adds a line in one piece. A crash leaves all of it, or a part that [Resume] removes.
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
