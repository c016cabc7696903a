package result

import (
	"encoding/json"
	"fmt"
)

// A Header begins each JSON document that ibperf writes: result files, and the reports of ib_caps
// and ib_conform.
type Header struct {
	Format  string `json:"format"`
	Version int    `json:"version"`
}

// FileHeader returns the header of result files.
func FileHeader() Header { return Header{FormatName, FormatVersion} }

// A VersionError is the error of a document whose version this program does not read.
type VersionError struct{ text string }

func (e *VersionError) Error() string { return e.text }

// Decode fills v from a document of that format and version. It accepts older versions, and refuses
// other formats and newer versions.
func Decode(data []byte, format string, version int, v any) error {
	var head Header
	if err := json.Unmarshal(data, &head); err != nil {
		return fmt.Errorf("parse JSON: %w", err)
	}
	switch {
	case head.Format != format:
		return fmt.Errorf("not a result file: format is %q, want %q", head.Format, format)
	case head.Version > version:
		return &VersionError{fmt.Sprintf("format version %d is newer than this program, which knows version %d: use a newer ibperf",
			head.Version, version)}
	case head.Version < 1:
		return &VersionError{fmt.Sprintf("format version %d does not exist", head.Version)}
	}
	if err := json.Unmarshal(data, v); err != nil {
		return fmt.Errorf("parse JSON: %w", err)
	}
	return nil
}
