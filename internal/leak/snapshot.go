package leak

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strconv"
	"strings"
)

// snapshot is a process's goroutines, descriptors and mappings at a moment. Goroutines are by their number, with their stack; descriptors by theirs, with
// what they refer to; mappings by their address, with the name of what is mapped.
type snapshot struct {
	Goroutines  map[string]string
	Descriptors map[int]string
	Mappings    map[uint64]string
}

func take() snapshot {
	return snapshot{goroutines(), descriptors(), mappings()}
}

var header = regexp.MustCompile(`^goroutine (\d+) `)

// notOfTests are functions of goroutines that live as long as the process: those of signals, and the one that starts processes.
var notOfTests = regexp.MustCompile(`(?m)^(os/signal\.signal_recv|github\.com/ibperf/ibperf/internal/subprocess\.init\.)`)

// goroutines returns the goroutines of the process but the running one.
func goroutines() map[string]string {
	buf := make([]byte, 1<<20)
	for n := runtime.Stack(buf, true); n == len(buf); n = runtime.Stack(buf, true) {
		buf = make([]byte, 2*len(buf))
	}
	all := map[string]string{}
	for i, stack := range bytes.Split(bytes.TrimRight(buf, "\x00\n"), []byte("\n\n")) {
		id := header.FindSubmatch(stack)
		if i == 0 || id == nil || notOfTests.Match(stack) {
			continue
		}
		all[string(id[1])] = string(stack)
	}
	return all
}

// descriptors returns the open descriptors, without that of the folder in which they are listed.
func descriptors() map[int]string {
	const folder = "/proc/self/fd"
	all := map[int]string{}
	entries, _ := os.ReadDir(folder) // none without /proc
	for _, e := range entries {
		name, err := os.Readlink(filepath.Join(folder, e.Name()))
		if n, bad := strconv.Atoi(e.Name()); err == nil && bad == nil {
			all[n] = name
		}
	}
	return all
}

// library matches the names of mapped files that stay mapped: loaded code, what the C library reads, and the memory of the
// test library in place of libibverbs.
var library = regexp.MustCompile(`\.so(\.[\d.]+)?$|/locale|/gconv|^/dev/zero|^/memfd:stub|^\[`)

// mappings returns the mappings of files and of shared memory.
func mappings() map[uint64]string {
	f, err := os.Open("/proc/self/maps")
	if err != nil {
		return nil
	}
	defer f.Close()
	own, _ := os.Executable()
	all := map[uint64]string{}
	for s := bufio.NewScanner(f); s.Scan(); {
		// 7f00-7f10 rw-s 00000000 00:01 2058  /memfd:name (deleted)
		column := strings.Fields(s.Text())
		name := strings.Join(column[5:], " ")
		if shared := strings.HasSuffix(column[1], "s"); name == "" && !shared || name == own || library.MatchString(name) {
			continue
		}
		from, _, _ := strings.Cut(column[0], "-")
		if address, err := strconv.ParseUint(from, 16, 64); err == nil {
			all[address] = name
		}
	}
	return all
}

// without returns what is in s and not in before.
func (s snapshot) without(before snapshot) snapshot {
	maps.DeleteFunc(s.Goroutines, func(id, _ string) bool { _, ok := before.Goroutines[id]; return ok })
	maps.DeleteFunc(s.Descriptors, func(fd int, name string) bool { return before.Descriptors[fd] == name })
	maps.DeleteFunc(s.Mappings, func(at uint64, name string) bool { return before.Mappings[at] == name })
	return s
}

// less returns s without the mappings that are allowed. Those of a name of which there are more all stay.
func (s snapshot) less(allowed []Allowed) snapshot {
	for _, a := range allowed {
		same := func(_ uint64, name string) bool { return name == a.Name }
		rest := maps.Clone(s.Mappings)
		if maps.DeleteFunc(rest, same); len(s.Mappings)-len(rest) <= a.N {
			s.Mappings = rest
		}
	}
	return s
}

func (s snapshot) empty() bool {
	return len(s.Goroutines)+len(s.Descriptors)+len(s.Mappings) == 0
}

// report prints what s has, and where it was made. The stack of a goroutine ends with its own place.
func (s snapshot) report(w io.Writer) {
	fmt.Fprintln(w, "the tests have left behind:")
	for _, id := range slices.Sorted(maps.Keys(s.Goroutines)) {
		fmt.Fprintf(w, "%s\n\n", s.Goroutines[id])
	}
	if len(s.Descriptors)+len(s.Mappings) == 0 {
		return
	}
	places := map[string]string{}
	switch again, stacks, err := origins(); {
	case err != nil:
		fmt.Fprintln(w, "no places:", err)
	case len(again.Descriptors)+len(again.Mappings) == 0:
		fmt.Fprintln(w, "no places: the tests left no descriptor and no mapping when they ran once more")
	default:
		s, places = again, stacks
	}
	for _, fd := range slices.Sorted(maps.Keys(s.Descriptors)) {
		fmt.Fprintf(w, "descriptor %d, %s\n%s\n", fd, s.Descriptors[fd], places[strconv.Itoa(fd)])
	}
	for _, at := range slices.Sorted(maps.Keys(s.Mappings)) {
		fmt.Fprintf(w, "mapping %#x, %s\n%s\n", at, s.Mappings[at], places[fmt.Sprintf("%#x", at)])
	}
}

// save writes s to a file.
func (s snapshot) save(path string) {
	data, err := json.Marshal(s)
	if err == nil {
		err = os.WriteFile(path, data, 0o600)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "leak:", err)
	}
}
