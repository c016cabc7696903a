package cli

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestReadPayload(t *testing.T) {
	path := filepath.Join(t.TempDir(), "payload")
	for _, c := range []struct {
		text string
		want []byte
		err  string
	}{
		{"0xdeadbeef, 0x1\n", []byte{0xef, 0xbe, 0xad, 0xde, 1, 0, 0, 0}, ""},
		{"7 8,9", []byte{7, 0, 0, 0, 8, 0, 0, 0, 9, 0, 0, 0}, ""},
		{"", nil, "the file has 0 words"},
		{"0x123456789", nil, `"0x123456789" is not a word of 32 bits`},
		{"deadbeef", nil, "is not a word of 32 bits"},
	} {
		if err := os.WriteFile(path, []byte(c.text), 0o666); err != nil {
			t.Fatal(err)
		}
		o := &options{}
		o.Own.Payload = path
		err := o.readPayload()
		if c.err != "" {
			if err == nil || !strings.Contains(err.Error(), c.err) || Status(err) != StatusUsage {
				t.Errorf("%q: %v, want %q", c.text, err, c.err)
			}
			continue
		}
		if err != nil || !bytes.Equal(o.payload, c.want) {
			t.Errorf("%q: %x, %v, want %x", c.text, o.payload, err, c.want)
		}
	}
	o := &options{}
	if o.Own.Payload = path + ".none"; o.readPayload() == nil {
		t.Error("a file that there is not was read")
	}
}
