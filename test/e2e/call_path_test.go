package e2e

import (
	"strings"
	"testing"

	"github.com/ibperf/ibperf/result"
	"github.com/ibperf/ibperf/test/stub"
)

// TestCallPathIsInResults: result files of both sides have it, and the text names a side with cgo.
func TestCallPathIsInResults(t *testing.T) {
	env := stub.Env(t)
	for forced, want := range map[string]string{"": result.CallsDirect, "1": result.CallsCgo} {
		t.Run(want, func(t *testing.T) {
			w := newWorkspace(t, "*.json")
			w.env = append(env, "IBPERF_CGO="+forced)
			_, client := w.runPair(statusDone, "ib_write_lat", "", "-d stub0 -n 100 -s 64 --details --out_json_file client.json")
			f := w.readResult("client.json")
			if here, peer := f.Local.Device.CallPath, f.Peer.Device.CallPath; here != want || peer != want {
				t.Errorf("%q here and %q at the peer, want %q", here, peer, want)
			}
			const text = "Calls into the library: cgo here, cgo at the peer"
			if said := strings.Contains(client.out.String(), text); said != (want == result.CallsCgo) {
				t.Errorf("the text:\n%s", client.out.String())
			}
		})
	}
}
