package shm_test

import (
	"testing"
	"unsafe"

	"github.com/ibperf/ibperf/verbs"
)

// unregistered returns memory of Go's heap with an SGE that names it.
func unregistered(t *testing.T, s string) ([]byte, verbs.SGE) {
	t.Helper()
	b := []byte(s)
	return b, verbs.SGE{Addr: uint64(uintptr(unsafe.Pointer(&b[0]))), Length: uint32(len(b)), LKey: 0xdeadbeef}
}
