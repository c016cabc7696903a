package comparison

import (
	"encoding/json"
	"fmt"
	"os"

	"github.com/ibperf/ibperf/internal/atomicfile"
	"github.com/ibperf/ibperf/reports/result"
)

// Parse decodes the file of a comparison and checks that a table and a plot can be
// made from it: its format and version, and the numbers of every line.
func Parse(data []byte) (*Comparison, error) {
	c := new(Comparison)
	if err := result.Decode(data, FormatName, FormatVersion, c); err != nil {
		return nil, err
	}
	if err := c.check(); err != nil {
		return nil, err
	}
	return c, nil
}

// Read loads and checks the comparison at path.
func Read(path string) (*Comparison, error) {
	data, err := os.ReadFile(path)
	if err != nil {
		return nil, fmt.Errorf("read comparison %s: %w", path, atomicfile.Cause(err))
	}
	c, err := Parse(data)
	if err != nil {
		return nil, fmt.Errorf("read comparison %s: %w", path, err)
	}
	return c, nil
}

// Write stores c at path, as [result.File.Write] does.
func (c *Comparison) Write(path string) error {
	data, err := json.MarshalIndent(c, "", "  ")
	if err != nil {
		return fmt.Errorf("encode comparison %s: %w", path, err)
	}
	if err := atomicfile.Write(path, append(data, '\n')); err != nil {
		return fmt.Errorf("write comparison %s: %w", path, err)
	}
	return nil
}
