package setup

import (
	"net/netip"
	"testing"

	"github.com/ibperf/ibperf/harness/internal/testcase"
	"github.com/ibperf/ibperf/oob"
	"github.com/ibperf/ibperf/option"
)

// The group that is named is the server's, and the client's is the next one.
func TestGroupsOfBothSides(t *testing.T) {
	for mgid, want := range map[string][2]string{
		"239.7.8.9": {"::ffff:239.7.8.10", "::ffff:239.7.8.9"}, "255:18:0:0:0:0:0:0:0:0:0:0:0:0:0:7": {"ff12::8", "ff12::7"},
	} {
		r := Resources{Set: &testcase.Set{Plan: option.Plan{MGID: mgid}}}
		for role, text := range map[testcase.Role]string{testcase.Client: want[0], testcase.Server: want[1]} {
			g, err := r.groupOf(role, &oob.Endpoint{})
			address := netip.AddrFrom16(g)
			if err != nil || address != netip.MustParseAddr(text) {
				t.Errorf("%s: the group of the %v is %v, %v, want %s", mgid, role, address, err, text)
			}
		}
	}
}
