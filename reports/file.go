package reports

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
)

// Write stores f at path as indented JSON. The file appears whole or not at
// all: it is written beside path first and then renamed into place. A path that
// is no regular file, such as /dev/stdout, is written directly.
func (f *File) Write(path string) error { return write(path, f) }

// Write stores c at path, as [File.Write] does.
func (c *Comparison) Write(path string) error { return write(path, c) }

func write(path string, v any) error {
	data, err := json.MarshalIndent(v, "", "  ")
	if err != nil {
		return fmt.Errorf("encode result file %s: %w", path, err)
	}
	if err := WriteFile(path, append(data, '\n')); err != nil {
		return fmt.Errorf("write result file %s: %w", path, err)
	}
	return nil
}

// Read loads and checks the result file at path.
func Read(path string) (*File, error) {
	data, err := os.ReadFile(path)
	if err != nil {
		return nil, fmt.Errorf("read result file %s: %w", path, Cause(err))
	}
	f, err := Parse(data)
	if err != nil {
		return nil, fmt.Errorf("read result file %s: %w", path, err)
	}
	return f, nil
}

// A Set is what result files hold, of whatever kind they are.
type Set struct {
	Runs        []*File
	Comparisons []*Comparison
}

// Read adds the file at path, of a run or of a comparison, after checking it.
func (s *Set) Read(path string) error {
	data, err := os.ReadFile(path)
	if err != nil {
		return fmt.Errorf("read result file %s: %w", path, Cause(err))
	}
	if err := s.add(data); err != nil {
		return fmt.Errorf("read result file %s: %w", path, err)
	}
	return nil
}

func (s *Set) add(data []byte) error {
	var head heading
	if json.Unmarshal(data, &head) == nil && head.Format == ComparisonName {
		c, err := ParseComparison(data)
		if err == nil {
			s.Comparisons = append(s.Comparisons, c)
		}
		return err
	}
	f, err := Parse(data)
	if err == nil {
		s.Runs = append(s.Runs, f)
	}
	return err
}

// Cause strips the operation and the name that package os puts before an error,
// as the errors here name the file themselves.
func Cause(err error) error {
	var pe *os.PathError
	var le *os.LinkError
	switch {
	case errors.As(err, &pe):
		return pe.Err
	case errors.As(err, &le):
		return le.Err
	}
	return err
}
