package result

import (
	"encoding/json"
	"fmt"
	"os"

	"github.com/ibperf/ibperf/internal/atomicfile"
	"github.com/ibperf/ibperf/internal/terminal"
)

// Write stores f at path as indented JSON. The file appears whole or not at
// all: it is written beside path first and then renamed into place. A path that
// is no regular file, such as /dev/stdout, is written directly.
func (f *File) Write(path string) error {
	data, err := f.Encode()
	if err != nil {
		return err
	}
	if err := atomicfile.Write(path, data); err != nil {
		return fmt.Errorf("write result file %s: %w", path, err)
	}
	return nil
}

// Encode returns f as indented JSON, in which only what is printable stands as it is. What
// [Parse] would refuse is an error.
func (f *File) Encode() ([]byte, error) {
	data, err := json.MarshalIndent(f, "", "  ")
	if err != nil {
		return nil, fmt.Errorf("encode result: %w", err)
	}
	data = append(terminal.EscapeJSON(data), '\n')
	if _, err := Parse(data); err != nil {
		return nil, fmt.Errorf("encode result: nothing could read it, so that it is not written: %w", err)
	}
	return data, nil
}

// Read loads and checks the result file at path.
func Read(path string) (*File, error) {
	data, err := os.ReadFile(path)
	if err != nil {
		return nil, fmt.Errorf("read result file %s: %w", path, atomicfile.Cause(err))
	}
	f, err := Parse(data)
	if err != nil {
		return nil, fmt.Errorf("read result file %s: %w", path, err)
	}
	return f, nil
}
