// Package version returns the build of a program, which the go command has recorded in it.
package version

import (
	"runtime/debug"
	"sync"
)

// Build is a build of a program.
type Build struct {
	Version  string // of the module: a release as v0.2.0, a pseudo-version, or (devel)
	Revision string // of the repository; empty if the go command saw none
	Modified bool   // files differed from the revision
}

// unknown is the version of a build for which the go command knew none.
const unknown = "(devel)"

// Current returns the build of the running program.
var Current = sync.OnceValue(func() Build {
	info, _ := debug.ReadBuildInfo()
	return of(info)
})

// of returns the build in the go command's record; nil: none.
func of(info *debug.BuildInfo) Build {
	b := Build{Version: unknown}
	if info == nil {
		return b
	}
	if v := info.Main.Version; v != "" {
		b.Version = v
	}
	for _, s := range info.Settings {
		switch s.Key {
		case "vcs.revision":
			b.Revision = s.Value
		case "vcs.modified":
			b.Modified = s.Value == "true"
		}
	}
	return b
}

// shortRevision is the number of digits of a revision a pseudo-version has.
const shortRevision = 12

// String returns the version as one word. A version that does not contain the revision is followed by
// the revision: (devel)-0123456789ab+dirty.
func (b Build) String() string {
	if b.Version != unknown || b.Revision == "" {
		return b.Version
	}
	word := b.Version + "-" + b.Revision[:min(shortRevision, len(b.Revision))]
	if b.Modified {
		word += "+dirty"
	}
	return word
}

// Line returns the output of --version.
func Line(program string) string { return program + " (ibperf) " + Current().String() + "\n" }
