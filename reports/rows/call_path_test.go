package rows

import (
	"testing"

	"github.com/ibperf/ibperf/result"
)

func TestCallPathText(t *testing.T) {
	for _, c := range []struct{ here, peer, want string }{
		{"", "", ""},
		{result.CallsDirect, result.CallsDirect, ""},
		{result.CallsCgo, result.CallsDirect, "Calls into the library: cgo here, direct at the peer; calls through cgo take longer."},
		{result.CallsDirect, result.CallsCgo, "Calls into the library: direct here, cgo at the peer; calls through cgo take longer."},
		{"", result.CallsCgo, "Calls into the library: cgo at the peer; calls through cgo take longer."},
	} {
		f := &result.File{}
		f.Local.Device.CallPath, f.Peer.Device.CallPath = c.here, c.peer
		if got := CallPathText(f); got != c.want {
			t.Errorf("%q here, %q at the peer: %q, want %q", c.here, c.peer, got, c.want)
		}
	}
}
