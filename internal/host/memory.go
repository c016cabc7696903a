package host

import (
	"fmt"
	"io/fs"
	"strconv"
	"strings"
)

// HugePages holds the huge pages of the default size.
type HugePages struct {
	Bytes       uint64 // of one
	Total, Free int
}

// HugePagesOf returns the huge pages of a host, or nil if its kernel has none.
func HugePagesOf(root fs.FS) *HugePages {
	kib, err := strconv.ParseUint(firstWord(Field(root, "proc/meminfo", "Hugepagesize:")), 10, 32)
	if err != nil {
		return nil
	}
	total, err1 := strconv.Atoi(Field(root, "proc/meminfo", "HugePages_Total:"))
	free, err2 := strconv.Atoi(Field(root, "proc/meminfo", "HugePages_Free:"))
	if err1 != nil || err2 != nil {
		return nil
	}
	return &HugePages{kib << 10, total, free}
}

// ipcLock is the number of CAP_IPC_LOCK, with which a process may lock any memory.
const ipcLock = 14

// LockLimit returns the number of bytes that this process may lock in memory; nil: any number, or not known.
func LockLimit(root fs.FS) *uint64 {
	var capabilities uint64
	if _, err := fmt.Sscanf(Field(root, "proc/self/status", "CapEff:"), "%x", &capabilities); err != nil || capabilities>>ipcLock&1 != 0 {
		return nil
	}
	limit, err := strconv.ParseUint(firstWord(Field(root, "proc/self/limits", "Max locked memory")), 10, 64)
	if err != nil {
		return nil // "unlimited", or no such file
	}
	return &limit
}

// Field returns what follows a name at the beginning of a line of a file, such as one in /proc; "" if there is no such line.
func Field(root fs.FS, file, name string) string {
	content, err := fs.ReadFile(root, file)
	if err != nil {
		return ""
	}
	for line := range strings.Lines(string(content)) {
		if rest, found := strings.CutPrefix(line, name); found {
			return strings.TrimSpace(rest)
		}
	}
	return ""
}

func firstWord(text string) string {
	word, _, _ := strings.Cut(text, " ")
	return word
}
