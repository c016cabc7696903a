package cli

import (
	"encoding/binary"
	"fmt"
	"os"
	"strconv"
	"strings"
)

// mostPayload bounds the file of --payload_file_path, in words.
const mostPayload = 1 << 20

// readPayload reads the file of --payload_file_path: words of 32 bits with 0x in front,
// with commas or blanks between them, which are stored with their lowest byte first.
func (o *options) readPayload() error {
	path := o.Own.Payload
	if path == "" {
		return nil
	}
	text, err := os.ReadFile(path)
	if err != nil {
		return fmt.Errorf("read the payload %s: %w", path, bare(err))
	}
	words := strings.FieldsFunc(string(text), func(r rune) bool { return r == ',' || r <= ' ' })
	if len(words) == 0 || len(words) > mostPayload {
		return usage(fmt.Sprintf("--payload_file_path %s: %d words are in it, 1 to %d are possible", path, len(words), mostPayload))
	}
	for _, w := range words {
		n, err := strconv.ParseUint(w, 0, 32)
		if err != nil {
			return usage(fmt.Sprintf("--payload_file_path %s: %.20q is no word of 32 bits, such as 0xdeadbeef", path, w))
		}
		o.payload = binary.LittleEndian.AppendUint32(o.payload, uint32(n))
	}
	return nil
}
