// Package leak checks that the tests of a package leave nothing behind: no goroutine, no descriptor, no mapping of a
// file or of shared memory and no temporary file. A leak is printed with the place where it was made. Private anonymous memory is not checked: it
// looks like the memory of Go's runtime.
package leak

import (
	"flag"
	"fmt"
	"os"
	"runtime"
	"testing"
	"time"
)

// patience is the time that goroutines have to end and files to be closed after the tests, and tracedPatience after those
// that run once more under strace.
const patience, tracedPatience = 10 * time.Second, time.Second

// Main runs the tests of a package and exits. A package's TestMain calls it. The status is 1 if something is left.
func Main(m *testing.M) {
	os.Exit(Run(m.Run))
}

// Allowed is mappings that tests may leave: at most N of a file or of shared memory with a name.
type Allowed struct {
	Name string
	N    int
}

// Run runs tests and returns their status, or 1 if something is left that is not allowed. It is for a TestMain that has
// more to do.
func Run(tests func() int, allowed ...Allowed) int {
	if !flag.Parsed() {
		flag.Parse()
	}
	openOnce()
	temporary, err := temporaryFolder()
	if err != nil {
		fmt.Fprintln(os.Stderr, "leak:", err)
		return 1
	}
	defer os.RemoveAll(temporary)
	before := take()
	status := tests()
	if status != 0 || fuzzing() {
		return status
	}
	if path := os.Getenv(tracedVariable); path != "" {
		wait(before, tracedPatience, allowed).save(path)
		return 0
	}
	if left := wait(before, patience, allowed); !left.empty() {
		left.report(os.Stderr)
		return 1
	}
	if reportFiles(os.Stderr, temporary) {
		return 1
	}
	return 0
}

// openOnce makes the runtime open what it keeps until the process ends: the descriptors of its poller.
func openOnce() {
	if r, w, err := os.Pipe(); err == nil {
		_ = r.SetReadDeadline(time.Now().Add(time.Second))
		r.Close()
		w.Close()
	}
}

// fuzzing reports whether the process fuzzes. The processes of a fuzzer keep pipes to each other.
func fuzzing() bool {
	for _, name := range []string{"test.fuzz", "test.fuzzworker"} {
		if f := flag.Lookup(name); f != nil && f.Value.String() != "" && f.Value.String() != "false" {
			return true
		}
	}
	return false
}

// wait returns what there is beside before and what is allowed, after the time that it may take what is about to end. Some memory is unmapped
// when the garbage collector finds its owner unused.
func wait(before snapshot, limit time.Duration, allowed []Allowed) snapshot {
	for begun := time.Now(); ; time.Sleep(10 * time.Millisecond) {
		runtime.GC()
		left := take().without(before).less(allowed)
		if left.empty() || time.Since(begun) > limit {
			return left
		}
	}
}
