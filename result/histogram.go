package result

import (
	"bytes"
	"compress/zlib"
	"encoding/base64"
	"encoding/binary"
	"errors"
	"fmt"
	"io"

	"github.com/HdrHistogram/hdrhistogram-go"
)

// Limits of a histogram, which are checked before memory is allocated for its counts. Those that ibperf writes
// have three digits and values up to 100 s.
const (
	maxHistogramText   = 192 << 10 // bytes
	maxHistogramDigits = 3
	maxHistogramValue  = 1 << 40 // ns, 18 minutes
)

// The layout of an encoded histogram: a header of the compressed part, and within it one of the counts.
const (
	outerHeader = 8
	innerHeader = 40
	digitsAt    = 12
	highestAt   = 24
)

// decodeHistogram decodes a histogram that is within the limits.
func decodeHistogram(text string) (*hdrhistogram.Histogram, error) {
	if len(text) > maxHistogramText {
		return nil, fmt.Errorf("%d bytes of text, the limit is %d", len(text), maxHistogramText)
	}
	if err := checkGeometry(text); err != nil {
		return nil, err
	}
	return hdrhistogram.Decode([]byte(text))
}

// checkGeometry returns an error if the counts of a histogram would take more memory than the limits allow.
func checkGeometry(text string) error {
	data, err := base64.StdEncoding.DecodeString(text)
	if err != nil {
		return err
	}
	if len(data) < outerHeader {
		return errors.New("the header is incomplete")
	}
	z, err := zlib.NewReader(bytes.NewReader(data[outerHeader:]))
	if err != nil {
		return err
	}
	var header [innerHeader]byte
	if _, err := io.ReadFull(z, header[:]); err != nil {
		return err
	}
	digits := binary.BigEndian.Uint32(header[digitsAt:])
	highest := binary.BigEndian.Uint64(header[highestAt:])
	if digits > maxHistogramDigits || highest > maxHistogramValue {
		return fmt.Errorf("%d significant digits of values up to %d, the limits are %d and %d", digits, highest, maxHistogramDigits, maxHistogramValue)
	}
	return nil
}
