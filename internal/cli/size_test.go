package cli

import (
	"strings"
	"testing"
)

func TestParseSize(t *testing.T) {
	for text, want := range map[string]int{
		"1": 1, "2": 2, "64": 64, "65536": 65536, "007": 7, "64K": 65536, "1M": 1 << 20, "8M": 8 << 20,
		"1073741824": 1 << 30, "1048576K": 1 << 30, "1024M": 1 << 30,
	} {
		got, err := parseSize(text)
		if err != nil || got != want {
			t.Errorf("parseSize(%q) = %d, %v, want %d", text, got, err, want)
		}
	}
}

func TestParseSizeRefuses(t *testing.T) {
	for text, want := range map[string]string{
		"64k":                  "write 64K or 65536",
		"1m":                   "write 1M or 1048576",
		"8 ":                   "write 8",
		" 8":                   "write 8",
		"0":                    "1 to 1073741824",
		"0K":                   "1 to 1073741824",
		"1073741825":           "1 to 1073741824",
		"1025M":                "1 to 1073741824",
		"18446744073709551616": "1 to 1073741824",
		"17592186044416M":      "1 to 1073741824", // 2^64 bytes
		"":                     "write bytes",
		"K":                    "write bytes",
		"-1":                   "write bytes",
		"+1":                   "write bytes",
		"1e30":                 "write bytes",
		"0x10":                 "write bytes",
		"1_000":                "write bytes",
		"64KB":                 "write bytes",
		"64 K":                 "write bytes",
		"1G":                   "write bytes",
		"1.5K":                 "write bytes",
		"٣":                    "write bytes",
	} {
		got, err := parseSize(text)
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("parseSize(%q) = %d, %v, want an error with %q", text, got, err, want)
		}
	}
}
