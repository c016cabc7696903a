package verbstest

import (
	_ "embed"
	"fmt"
	"os"

	"path/filepath"
	"slices"
	"strings"

	"golang.org/x/sys/unix"

	"github.com/ibperf/ibperf/verbs"
)

// Quirk is something that a family of devices does in its own way.
type Quirk struct {
	ID         string
	Devices    []string // patterns of filepath.Match, for a device's name or its driver
	From       Kernel   // the first kernel that has it, nil: all
	Below      Kernel   // the first kernel after From that has not, nil: none
	Statements []string // ids of those that assert what the device does instead
	Fails      []string // ids of those that fail, and nothing more is known of them
	Does       string   // instead of what the statements say
	Source     string   // where it can be read, or who has seen it
}

// Kernel is the version of a kernel, the major number first: {6, 12}.
type Kernel []int

//go:embed quirks.txt
var knownQuirks string

// QuirksOf returns the quirks that apply to the device on this machine's kernel: those
// that this package knows of, and those of more. A device without any is to do everything
// as the statements say.
func QuirksOf(device verbs.Device, more ...Quirk) []Quirk {
	known, err := ParseQuirks("quirks.txt", knownQuirks)
	if err != nil {
		panic(err) // which a test holds
	}
	names := []string{device.Name(), driverOf(device)}
	return applying(append(known, more...), names, runningKernel())
}

// applying returns the quirks of a device with these names on the kernel.
func applying(quirks []Quirk, names []string, kernel Kernel) []Quirk {
	return slices.DeleteFunc(quirks, func(q Quirk) bool {
		matches := func(pattern string) bool {
			return slices.ContainsFunc(names, func(name string) bool {
				ok, _ := filepath.Match(pattern, name)
				return ok
			})
		}
		return !slices.ContainsFunc(q.Devices, matches) ||
			slices.Compare(kernel, q.From) < 0 ||
			q.Below != nil && slices.Compare(kernel, q.Below) >= 0
	})
}

// driverOf returns the name of the kernel's driver, such as mlx5_core, of what stands in
// for hardware, such as rdma_rxe, or "".
func driverOf(device verbs.Device) string {
	if software := device.Software(); software != "" {
		name, _, _ := strings.Cut(software, ",")
		return name
	}
	link, err := os.Readlink(filepath.Join("/sys/class/infiniband", device.Name(), "device/driver"))
	if err != nil {
		return ""
	}
	return filepath.Base(link)
}

func runningKernel() Kernel {
	var name unix.Utsname
	if err := unix.Uname(&name); err != nil {
		return nil
	}
	return kernelOf(unix.ByteSliceToString(name.Release[:]))
}

// quirk tells whether the device has the quirk and the statement meets it.
func (e *env) quirk(id string) bool {
	has := slices.ContainsFunc(e.target.Quirks, func(q Quirk) bool {
		return q.ID == id && slices.Contains(q.Statements, e.id)
	})
	if has {
		e.met[id] = true
	}
	return has
}

// allQuirksMet reports the quirks that are wrong, and skips a statement that failed as a
// quirk says.
func (e *env) allQuirksMet() {
	for _, text := range e.wrongQuirks() {
		e.T.Error(text)
	}
	if e.fails != nil && e.fails.seen.Load() {
		e.T.Skipf("it fails by quirk %s: %s", e.fails.id, e.fails.does)
	}
}

// wrongQuirks returns what is wrong with the quirks that name the statement: it knows no
// such quirk, or it has passed although it should fail.
func (e *env) wrongQuirks() (texts []string) {
	for _, q := range e.target.Quirks {
		if slices.Contains(q.Statements, e.id) && !e.met[q.ID] {
			texts = append(texts, fmt.Sprintf("quirk %s names %s, which does not depend on it: can it be listed under fails?", q.ID, e.id))
		}
	}
	if e.fails != nil && !e.fails.seen.Load() {
		texts = append(texts, fmt.Sprintf("%s passes: quirk %s no longer reproduces: remove it", e.id, e.fails.id))
	}
	return texts
}

// instead is what a quirk makes of a value.
type instead[T comparable] struct {
	quirk string
	value T
}

// agree checks that got is what was specified, or with the quirk what the quirk makes of it.
func agree[T comparable](e *env, quirk, what string, got, specified, quirky T) {
	e.Helper()
	agreeByAny(e, what, got, specified, instead[T]{quirk, quirky})
}

// agreeByAny checks that got is what was specified, or what the one quirk that the device
// has makes of it.
func agreeByAny[T comparable](e *env, what string, got, specified T, quirks ...instead[T]) {
	e.Helper()
	want, by := specified, ""
	for _, q := range quirks {
		if e.quirk(q.quirk) {
			want, by = q.value, q.quirk
		}
	}
	switch {
	case got == want:
	case by == "":
		e.Errorf("%s: %v, want %v", what, got, specified)
	case got == specified:
		e.Errorf("%s: %v: quirk %s no longer reproduces: remove it", what, got, by)
	default:
		e.Errorf("%s: %v, want %v by quirk %s", what, got, want, by)
	}
}

// lostStatus is what becomes of the status of a request that fails on its own side.
var lostStatus = instead[verbs.WCStatus]{"Q32", verbs.WCWRFlushErr}

// wrongKey is what becomes of the status of a request with a wrong local key.
var wrongKey = instead[verbs.WCStatus]{"Q04", verbs.WCLocQPOpErr}

// failsHere waits for the completion of a request that fails on its own side.
func (s *side) failsHere(id uint64, status verbs.WCStatus, quirks ...instead[verbs.WCStatus]) {
	s.Helper()
	agreeByAny(s.env, fmt.Sprintf("request %d", id), s.sendCQ.of(id).Status, status, append(quirks, lostStatus)...)
}
