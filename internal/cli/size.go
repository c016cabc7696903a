package cli

import (
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/ibperf/ibperf/harness"
)

// sizeUnits are the suffixes of message sizes, upper case as in perftest.
var sizeUnits = map[byte]uint64{'K': 1 << 10, 'M': 1 << 20}

// parseSize reads a message size: bytes, or KiB with K, or MiB with M. The
// whole text must be a size; perftest takes "64k" for 64 bytes.
func parseSize(text string) (int, error) {
	digits, unit := text, uint64(1)
	if n := len(text); n > 0 && sizeUnits[text[n-1]] != 0 {
		digits, unit = text[:n-1], sizeUnits[text[n-1]]
	}
	n, err := strconv.ParseUint(digits, 10, 64)
	switch {
	case errors.Is(err, strconv.ErrRange):
		return 0, sizeRange()
	case err != nil:
		return 0, sizeSyntax(text)
	case n < 1 || n > harness.MaxSize/unit:
		return 0, sizeRange()
	}
	return int(n * unit), nil
}

func sizeRange() error {
	return fmt.Errorf("message sizes are 1 to %d bytes", harness.MaxSize)
}

// sizeSyntax says how to write what text may have meant.
func sizeSyntax(text string) error {
	meant := strings.ToUpper(strings.TrimSpace(text))
	if meant == text {
		return errors.New("write bytes, or KiB as 64K, or MiB as 1M")
	}
	n, err := parseSize(meant)
	if err != nil {
		return err
	}
	if bytes := strconv.Itoa(n); bytes != meant {
		return fmt.Errorf("write %s or %s", meant, bytes)
	}
	return fmt.Errorf("write %s", meant)
}
