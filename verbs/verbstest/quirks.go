package verbstest

import (
	_ "embed"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/ibperf/ibperf/verbs"
)

// Quirk is a known deviation of a family of devices.
type Quirk struct {
	ID         string
	Drivers    []string // patterns of filepath.Match for the kernel driver; none: any
	Parts      []string // patterns for the part number or the board id; none: any
	Kernel     Range
	Library    Range // of rdma-core
	Firmware   Range
	Statements []string // ids of statements that assert what the device does instead
	Fails      []string // ids of statements that fail
	Does       string   // what the device does instead
	Source     string   // document, code or observation
}

//go:embed quirks.txt
var quirksOfRxe string

//go:embed quirks_mlx5.txt
var quirksOfMlx5 string

// knownQuirks are the embedded files.
var knownQuirks = []struct{ name, text string }{{"quirks.txt", quirksOfRxe}, {"quirks_mlx5.txt", quirksOfMlx5}}

// An Unmatched is a quirk that does not apply to a device, with the reason.
type Unmatched struct {
	Quirk Quirk
	Why   string
}

// QuirksOf returns the quirks that apply to the device with this identity: the known quirks of its
// family and those of more, and which of more do not apply.
func QuirksOf(id Identity, more ...Quirk) (apply []Quirk, unmatched []Unmatched) {
	for _, file := range knownQuirks {
		known, err := ParseQuirks(file.name, file.text)
		if err != nil {
			panic(err) // a test parses the embedded files
		}
		for _, q := range known {
			if q.mismatch(id) == "" {
				apply = append(apply, q)
			}
		}
	}
	for _, q := range more {
		if why := q.mismatch(id); why != "" {
			unmatched = append(unmatched, Unmatched{q, why})
			continue
		}
		apply = append(apply, q)
	}
	return apply, unmatched
}

// mismatch returns why the quirk does not apply to a device, or "".
func (q *Quirk) mismatch(id Identity) string {
	for _, c := range []struct {
		what     string
		patterns []string
		names    []string
	}{
		{"driver", q.Drivers, []string{id.Driver}},
		{"part", q.Parts, []string{id.Part(), id.Board}},
	} {
		if len(c.patterns) > 0 && !matches(c.patterns, c.names) {
			return fmt.Sprintf("%s is %s, not %s", c.what, strings.TrimSpace(strings.Join(c.names, " ")), strings.Join(c.patterns, " or "))
		}
	}
	for _, c := range []struct {
		what    string
		in      Range
		version string
	}{
		{"kernel", q.Kernel, id.Kernel}, {"library", q.Library, id.Library}, {"firmware", q.Firmware, id.Firmware},
	} {
		if !c.in.has(VersionOf(c.version)) {
			return fmt.Sprintf("%s is %s, not %s", c.what, c.version, c.in)
		}
	}
	return ""
}

// matches reports whether one of the names has one of the patterns.
func matches(patterns, names []string) bool {
	return slices.ContainsFunc(patterns, func(pattern string) bool {
		return slices.ContainsFunc(names, func(name string) bool {
			ok, _ := filepath.Match(pattern, name)
			return ok
		})
	})
}

// TargetOf returns a target with port 1, its best GID and its quirks: the known quirks of its
// family, and those in more that apply.
func TargetOf(device verbs.Device, more ...Quirk) Target {
	target := Target{Device: device, Port: 1, GIDIndex: -1, Identity: IdentityOf(device)}
	target.Quirks, target.Unmatched = QuirksOf(target.Identity, more...)
	return target
}
