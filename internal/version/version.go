// Package version says which build of ibperf a program is, as the go command has noted it in the program.
package version

import (
	"runtime/debug"
	"sync"
)

// Build is what is known of a build.
type Build struct {
	Version  string // of the module: a release as v0.2.0, a pseudo-version, or (devel)
	Revision string // of the repository; empty where the go command did not see one
	Modified bool   // files differed from the revision
}

// unknown is the version of a build of which the go command knew none.
const unknown = "(devel)"

// Current returns the build of the running program.
var Current = sync.OnceValue(func() Build {
	info, _ := debug.ReadBuildInfo()
	return of(info)
})

// of reads what the go command has noted; nil: nothing.
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

// shortRevision is how many digits of a revision a pseudo-version has.
const shortRevision = 12

// String returns the version as one word. One that names no revision is followed by it:
// (devel)-0123456789ab+dirty.
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

// Line is what a program prints for --version.
func Line(program string) string { return program + " (ibperf) " + Current().String() + "\n" }
