package rows

import (
	"github.com/ibperf/ibperf/internal/printable"
	"github.com/ibperf/ibperf/result"
)

// CallPaths returns the texts of [CallPathText], see ofRuns.
func (g *Group) CallPaths() []string { return g.ofRuns(CallPathText) }

// CallPathText says that a side of a run called the library through cgo, which lengthens each call. It
// returns "" if no side did.
func CallPathText(f *result.File) string {
	here, peer := f.Local.Device.CallPath, f.Peer.Device.CallPath
	if here != result.CallsCgo && peer != result.CallsCgo {
		return ""
	}
	return "Calls into the library: " + printable.Clean(bothSides(here, peer, ", ")) + "; calls through cgo take longer."
}
