package result

import (
	"encoding/json"
	"reflect"
	"slices"
	"testing"

	"github.com/ibperf/ibperf/option"
)

// What was asked for is known from the plan that was executed and from the options that the run decided,
// also after writing and reading.
func TestAskedIsWithoutWhatTheRunDecided(t *testing.T) {
	asked := option.Defaults(option.Test{Op: option.OpRead, Kind: option.KindBandwidth})
	asked.Compare, asked.Outs, asked.Sizes = true, 3, []int{8, 65536}
	asked = asked.Resolve()
	p, executed := Parameters{Plan: asked}, asked
	executed.MTU, executed.CQMod, executed.Outs = 1024, 100, 3
	p.Decide(executed)
	if want := []string{"cq_mod", "mtu_bytes"}; !slices.Equal(p.Decided, want) || !reflect.DeepEqual(p.Plan, executed) {
		t.Errorf("decided %q, want %q; plan %+v", p.Decided, want, p.Plan)
	}
	data, err := json.Marshal(p)
	if err != nil {
		t.Fatal(err)
	}
	var back Parameters
	if err := json.Unmarshal(data, &back); err != nil {
		t.Fatal(err)
	}
	if err := back.decode(asked.Test); err != nil {
		t.Fatal(err)
	}
	if got := back.Asked(); !reflect.DeepEqual(got, asked) || back.MTU != 1024 {
		t.Errorf("asked %+v, want %+v", got, asked)
	}
}
