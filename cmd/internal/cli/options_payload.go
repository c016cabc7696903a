package cli

import (
	"encoding/binary"
	"fmt"
	"os"
	"strconv"
	"strings"

	"github.com/ibperf/ibperf/internal/atomicfile"
)

// maxPayloadWords is the maximum number of words in the file of --payload_file_path.
const maxPayloadWords = 1 << 20

// readPayload reads the file of --payload_file_path: words of 32 bits, written as 0xdeadbeef and separated
// by commas or blanks. A message holds them in little-endian order.
func (o *options) readPayload() error {
	path := o.Own.Payload
	if path == "" {
		return nil
	}
	text, err := os.ReadFile(path)
	if err != nil {
		return fmt.Errorf("read the payload %s: %w", path, atomicfile.Cause(err))
	}
	words := strings.FieldsFunc(string(text), func(r rune) bool { return r == ',' || r <= ' ' })
	if len(words) == 0 || len(words) > maxPayloadWords {
		return usage(fmt.Sprintf("--payload_file_path %s: the file has %d words, 1 to %d are possible", path, len(words), maxPayloadWords))
	}
	for _, w := range words {
		n, err := strconv.ParseUint(w, 0, 32)
		if err != nil {
			return usage(fmt.Sprintf("--payload_file_path %s: %.20q is not a word of 32 bits, such as 0xdeadbeef", path, w))
		}
		o.payload = binary.LittleEndian.AppendUint32(o.payload, uint32(n))
	}
	return nil
}
