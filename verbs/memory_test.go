package verbs

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"strings"
	"syscall"
	"testing"
)

// mapping returns what a file of /proc/self says about the mapping that begins at the
// buffer's address: its line and those behind it up to the next mapping.
func mapping(t *testing.T, file string, b *Buffer) string {
	t.Helper()
	data, err := os.ReadFile("/proc/self/" + file)
	if errors.Is(err, os.ErrNotExist) {
		t.Skipf("no /proc/self/%s", file)
	}
	if err != nil {
		t.Fatal(err)
	}
	var found bytes.Buffer
	in := false
	for line := range strings.Lines(string(data)) {
		first, _, _ := strings.Cut(line, " ")
		if begin, _, _ := strings.Cut(first, "-"); !strings.HasSuffix(first, ":") {
			in = strings.TrimLeft(begin, "0") == fmt.Sprintf("%x", b.Addr())
		}
		if in {
			found.WriteString(line)
		}
	}
	return found.String()
}

// The pages of a huge buffer are huge.
func TestHugeBuffer(t *testing.T) {
	b, err := NewHugeBuffer(3 << 20)
	if errors.Is(err, syscall.ENOMEM) {
		if !strings.Contains(err.Error(), "sysctl vm.nr_hugepages") {
			t.Errorf("%v", err)
		}
		t.Skipf("huge pages: %v", err)
	}
	if err != nil {
		t.Fatal(err)
	}
	defer b.Close()
	b.Bytes()[len(b.Bytes())-1] = 1
	if text := mapping(t, "smaps", b); !strings.Contains(text, "KernelPageSize:") || strings.Contains(text, "KernelPageSize:        4 kB") {
		t.Errorf("the memory is mapped as:\n%s", text)
	}
}

// The pages of a bound buffer are those of the node.
func TestBindNUMA(t *testing.T) {
	b, err := NewBuffer(1 << 20)
	if err != nil {
		t.Fatal(err)
	}
	defer b.Close()
	if err := b.BindNUMA(0); errors.Is(err, syscall.ENOSYS) || errors.Is(err, syscall.EPERM) {
		t.Skipf("mbind: %v", err)
	} else if err != nil {
		t.Fatal(err)
	}
	for i := range b.Bytes() {
		b.Bytes()[i] = 1
	}
	if text := mapping(t, "numa_maps", b); !strings.Contains(text, " bind:0 ") || !strings.Contains(text, "N0=256 ") {
		t.Errorf("the memory is mapped as %q", text)
	}
	if err := b.BindNUMA(1000); err == nil {
		t.Error("bound to node 1000")
	}
}
