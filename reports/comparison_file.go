package reports

import (
	"encoding/json"
	"fmt"
	"os"

	"github.com/ibperf/ibperf/internal/atomicfile"
	"github.com/ibperf/ibperf/reports/result"
)

// ParseComparison decodes the file of a comparison and checks that a table and a
// plot can be made from it: its format and version, and the numbers of every line.
func ParseComparison(data []byte) (*Comparison, error) {
	c := new(Comparison)
	if err := result.Decode(data, ComparisonName, ComparisonVersion, c); err != nil {
		return nil, err
	}
	if err := c.check(); err != nil {
		return nil, err
	}
	return c, nil
}

// Write stores c at path, as [result.File.Write] does.
func (c *Comparison) Write(path string) error {
	data, err := json.MarshalIndent(c, "", "  ")
	if err != nil {
		return fmt.Errorf("encode result file %s: %w", path, err)
	}
	if err := atomicfile.Write(path, append(data, '\n')); err != nil {
		return fmt.Errorf("write result file %s: %w", path, err)
	}
	return nil
}

// A Set is what result files hold, of whatever kind they are.
type Set struct {
	Runs        []*result.File
	Comparisons []*Comparison
}

// Read adds the file at path, of a run or of a comparison, after checking it.
func (s *Set) Read(path string) error {
	data, err := os.ReadFile(path)
	if err != nil {
		return fmt.Errorf("read result file %s: %w", path, atomicfile.Cause(err))
	}
	if err := s.add(data); err != nil {
		return fmt.Errorf("read result file %s: %w", path, err)
	}
	return nil
}

func (s *Set) add(data []byte) error {
	var head struct {
		Format string `json:"format"`
	}
	if json.Unmarshal(data, &head) == nil && head.Format == ComparisonName {
		c, err := ParseComparison(data)
		if err == nil {
			s.Comparisons = append(s.Comparisons, c)
		}
		return err
	}
	f, err := result.Parse(data)
	if err == nil {
		s.Runs = append(s.Runs, f)
	}
	return err
}
