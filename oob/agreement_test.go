package oob

import (
	"errors"
	"strings"
	"testing"
)

// Names of a proposal are words of printable ASCII, since they are printed.
func TestDecodeProposalRefusesBadNames(t *testing.T) {
	for _, data := range []string{
		``, `7`, `{}`, `{"release":"1","program":"a b","device":{"name":"d","backend":"b"}}`,
		`{"release":"1","program":"` + strings.Repeat("x", 65) + `","device":{"name":"d","backend":"b"}}`,
		`{"release":"\u001b","program":"p","device":{"name":"d","backend":"b"}}`,
	} {
		if _, err := DecodeProposal([]byte(data)); !errors.As(err, new(*MessageError)) || strings.ContainsRune(err.Error(), '\x1b') {
			t.Errorf("proposal %s: %v", data, err)
		}
	}
}
