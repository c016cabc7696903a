package verbstest

import (
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
)

// record is a T outside of package testing, which keeps the output.
type record struct {
	mu       sync.Mutex
	lines    []string
	errors   []string // of lines
	failed   bool
	skipped  bool
	reason   string          // of the skip
	cases    []*caseOf       // subtests
	helpers  map[string]bool // functions whose lines have the position of the caller
	cleanups []func()
}

// caseOf is a subtest.
type caseOf struct {
	name string
	*record
}

// begin runs f until it returns or ends its goroutine, and then the cleanups. A panic in f ends
// the process.
func (r *record) begin(f func(*record)) {
	done := make(chan struct{})
	go func() {
		defer func() {
			if v := recover(); v != nil {
				panic(v)
			}
			close(done)
		}()
		defer r.cleanUp()
		f(r)
	}()
	<-done
}

// cleanUp runs the cleanups, the last one first, even if one of them ends the goroutine.
func (r *record) cleanUp() {
	r.mu.Lock()
	last := len(r.cleanups) - 1
	if last < 0 {
		r.mu.Unlock()
		return
	}
	f := r.cleanups[last]
	r.cleanups = r.cleanups[:last]
	r.mu.Unlock()
	defer r.cleanUp()
	f()
}

// Run runs a case and reports whether it passed. The record gets its lines, prefixed with its name.
func (r *record) Run(name string, f func(*record)) bool {
	c := &caseOf{name, &record{}}
	c.begin(f)
	r.mu.Lock()
	defer r.mu.Unlock()
	r.cases = append(r.cases, c)
	r.failed = r.failed || c.failed
	r.lines = append(r.lines, prefixed(name, c.lines)...)
	r.errors = append(r.errors, prefixed(name, c.errors)...)
	return !c.failed
}

func prefixed(name string, lines []string) (named []string) {
	for _, line := range lines {
		named = append(named, name+": "+line)
	}
	return named
}

// skips returns the skipped cases with their reasons, and whether all cases were skipped.
func (r *record) skips() (texts []string, all bool) {
	all = len(r.cases) > 0
	for _, c := range r.cases {
		if c.skipped && c.reason != "" {
			texts = append(texts, c.name+": "+c.reason)
			continue
		}
		within, allWithin := c.skips()
		texts = append(texts, prefixed(c.name, within)...)
		all = all && allWithin
	}
	return texts, all
}

// Helper marks the calling function: its lines have the position of its caller.
func (r *record) Helper() {
	var pc [1]uintptr
	runtime.Callers(2, pc[:])
	frame, _ := runtime.CallersFrames(pc[:]).Next()
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.helpers == nil {
		r.helpers = map[string]bool{}
	}
	r.helpers[frame.Function] = true
}

// say adds a line, with its position in the source.
func (r *record) addLine(text string) {
	var pcs [32]uintptr
	frames := runtime.CallersFrames(pcs[:runtime.Callers(3, pcs[:])])
	r.mu.Lock()
	defer r.mu.Unlock()
	frame, more := frames.Next()
	for more && r.helpers[frame.Function] {
		frame, more = frames.Next()
	}
	r.lines = append(r.lines, fmt.Sprintf("%s:%d: %s", filepath.Base(frame.File), frame.Line, text))
}

func (r *record) fail(text string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.failed, r.errors = true, append(r.errors, text)
}

func (r *record) skip(reason string) {
	r.mu.Lock()
	r.skipped, r.reason = true, reason
	r.mu.Unlock()
	runtime.Goexit()
}

func (r *record) Log(args ...any)                 { r.addLine(sentence(args)) }
func (r *record) Logf(format string, args ...any) { r.addLine(fmt.Sprintf(format, args...)) }

func (r *record) Error(args ...any) {
	text := sentence(args)
	r.addLine(text)
	r.fail(text)
}

func (r *record) FailNow() {
	r.mu.Lock()
	r.failed = true
	r.mu.Unlock()
	runtime.Goexit()
}

func (r *record) Failed() bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.failed
}

func (r *record) Skip(args ...any)                 { r.skip(sentence(args)) }
func (r *record) Skipf(format string, args ...any) { r.skip(fmt.Sprintf(format, args...)) }
func (r *record) SkipNow()                         { r.skip("") }

func (r *record) Cleanup(f func()) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.cleanups = append(r.cleanups, f)
}

// TempDir makes a folder, which is removed at the end.
func (r *record) TempDir() string {
	dir, err := os.MkdirTemp("", "verbstest")
	if err != nil {
		r.Error(err)
		r.FailNow()
	}
	r.Cleanup(func() { os.RemoveAll(dir) })
	return dir
}

// sentence joins values by spaces, as Println does.
func sentence(args []any) string { return strings.TrimSpace(fmt.Sprintln(args...)) }
