package option

import (
	"slices"
	"testing"
)

func TestParseCPUs(t *testing.T) {
	for text, want := range map[string][]int{
		"0": {0}, "3,0-1": {3, 0, 1}, "0-3,8": {0, 1, 2, 3, 8}, "1023": {1023},
	} {
		if got, err := ParseCPUs(text); err != nil || !slices.Equal(got, want) {
			t.Errorf("%s: %v, %v, want %v", text, got, err, want)
		}
	}
	for _, text := range []string{"", ",", "1,", "-1", "1-", "3-1", "x", "1024", "0-1024", "1,1", "0-2,1", "99999999999999999999"} {
		if got, err := ParseCPUs(text); err == nil {
			t.Errorf("%q is read as %v", text, got)
		}
	}
}
