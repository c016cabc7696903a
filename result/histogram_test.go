package result

import (
	"bytes"
	"compress/zlib"
	"encoding/base64"
	"encoding/binary"
	"runtime"
	"strings"
	"testing"

	"github.com/HdrHistogram/hdrhistogram-go"
)

// encoded returns an empty histogram in text.
func encoded(t *testing.T, highest int64, digits int) string {
	t.Helper()
	h := hdrhistogram.New(1, highest, digits)
	if err := h.RecordValue(5); err != nil {
		t.Fatal(err)
	}
	text, err := h.Encode(hdrhistogram.V2CompressedEncodingCookieBase)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// inflating returns a short text of a histogram whose counts are zeros without end.
func inflating(t *testing.T) string {
	t.Helper()
	header := make([]byte, innerHeader)
	binary.BigEndian.PutUint32(header, 0x1c849303|0x10)
	binary.BigEndian.PutUint32(header[4:], 8<<20) // payload
	binary.BigEndian.PutUint32(header[digitsAt:], 5)
	binary.BigEndian.PutUint64(header[16:], 1)
	binary.BigEndian.PutUint64(header[highestAt:], 1<<62)
	var deflated bytes.Buffer
	z := zlib.NewWriter(&deflated)
	z.Write(header)
	z.Write(make([]byte, 8<<20))
	z.Close()
	outer := binary.BigEndian.AppendUint32(nil, 0x1c849304|0x10)
	outer = binary.BigEndian.AppendUint32(outer, uint32(deflated.Len()))
	return base64.StdEncoding.EncodeToString(append(outer, deflated.Bytes()...))
}

// A histogram is refused before its counts take memory.
func TestHistogramsAreBoundedBeforeTheyAreInflated(t *testing.T) {
	for name, text := range map[string]string{
		"inflating": inflating(t), "five digits": encoded(t, 100e9, 5), "a high value": encoded(t, 1<<62, 3),
		"a long text": strings.Repeat("A", maxHistogramText+4), "no header": "AAAA", "no text": "%",
	} {
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		_, err := (&Latency{Histogram: text, Factor: 1}).Distribution()
		runtime.ReadMemStats(&after)
		if err == nil {
			t.Errorf("%s: no error", name)
		}
		if took := after.TotalAlloc - before.TotalAlloc; took > 1<<20 {
			t.Errorf("%s: took %d bytes", name, took)
		}
	}
	if _, err := (&Latency{Histogram: encoded(t, 100e9, 3), Factor: 1}).Distribution(); err != nil {
		t.Errorf("a histogram as ibperf writes it: %v", err)
	}
}
