package caps

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/ibperf/ibperf/verbs"
)

// counting is a context whose counters are these; an error: none.
type counting struct {
	verbs.Context
	caps verbs.CompCounterCaps
	err  error
}

func (c counting) QueryCompCounterCaps() (verbs.CompCounterCaps, error)      { return c.caps, c.err }
func (c counting) CreateCompCounter() (counter verbs.CompCounter, err error) { return nil, c.err }

func TestCountersOfADevice(t *testing.T) {
	all := verbs.CompCounterCaps{MaxValue: 1<<32 - 1, Max: 64, Ops: verbs.CountSends | verbs.CountRemoteWrites}
	none := &verbs.OpError{Verb: "query_comp_cntr_caps", Object: "d", Errno: verbs.ErrNotSupported}
	for _, c := range []struct {
		context    verbs.Context
		json, unit string
	}{
		{counting{caps: all}, `{"completion_counters":{"max_counters":64,"max_value":"0xffffffff","supported_qp_attach_ops":"0x21"}}`, "SEND|REMOTE_RDMA_WRITE"},
		{counting{err: none}, `{"completion_counters":{"max_counters":0}}`, "query_comp_cntr_caps"},
		{nil, `{}`, ""},
	} {
		groups := counters(c.context)
		data, err := json.Marshal(groups)
		if string(data) != c.json || err != nil {
			t.Errorf("%s, error %v; want %s", data, err, c.json)
		}
		for _, g := range groups {
			if last := g.Attributes[len(g.Attributes)-1]; !strings.Contains(last.Unit, c.unit) {
				t.Errorf("%+v, want %s", last, c.unit)
			}
		}
	}
}
