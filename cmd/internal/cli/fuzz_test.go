package cli

import (
	"strings"
	"testing"

	"github.com/ibperf/ibperf/oob"
	"github.com/ibperf/ibperf/option"
)

// fuzzedServer returns a server with options of its own.
func fuzzedServer(f *testing.F) *options {
	o, err := parse(writeBW, strings.Fields("-s 64 -q 2 --verify=false --max-qp 100"))
	if err != nil {
		f.Fatal(err)
	}
	return o
}

// For every proposal of a client the server has a valid plan and takes no more than its budget, or
// has a printable error.
func FuzzProposal(f *testing.F) {
	f.Add([]byte(`{"release":"1","program":"ib_write_bw","device":{"name":"shm_whole","backend":"shm","boot":"x"},"given":["size"],"plan":{"sizes_bytes":[64]}}`))
	f.Add([]byte(`{"release":"1","program":"ib_read_lat","device":{"name":"d","backend":"b"},"given":null,"plan":{"compare":true,"also":["look"]}}`))
	f.Add([]byte(`{"release":"1","program":"ib_send_bw","device":{"name":"d","backend":"b"},"plan":{"qps":16384,"sizes_bytes":[2147483647],"tx_depth":15000,"rx_depth":15000}}`))
	server := fuzzedServer(f)
	f.Fuzz(func(t *testing.T, data []byte) {
		p, err := oob.DecodeProposal(data)
		if err != nil {
			shown(t, err)
			return
		}
		client, err := clientOptions(&p)
		if err != nil {
			shown(t, err)
			return
		}
		plan, decided, err := merge(client, server)
		var resolved option.ResolvedPlan
		if err == nil {
			resolved, err = resolve(plan, server, decided)
		}
		if err != nil {
			shown(t, err)
			return
		}
		b := newBudget(&server.Own)
		if give, err := b.take(resolved); err == nil {
			if b.taken.Memory <= 0 || b.taken.Memory > b.limit.Memory || b.taken.QPs < 1 || b.taken.QPs > b.limit.QPs {
				t.Fatalf("%+v is taken of %+v", b.taken, b.limit)
			}
			give()
		}
	})
}

// For every answer of a server the client has the options of its command line, or an error.
func FuzzAnswer(f *testing.F) {
	f.Add([]byte(`{"release":"1","device":{"name":"shm_whole","backend":"shm","boot":"x"},"plan":{"sizes_bytes":[64]}}`))
	f.Add([]byte(`{"class":"busy","refusal":"later"}`))
	mine, err := parse(writeBW, []string{"-s", "64", "127.0.0.1"})
	if err != nil {
		f.Fatal(err)
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		a, err := oob.DecodeAnswer(data)
		if err != nil || a.Refusal != "" {
			return
		}
		plan, err := decodePlan(a.Plan, mine.Test, "server", a.Release)
		if err != nil {
			shown(t, err)
			return
		}
		if _, err := checkAnswer(&plan, mine); err == nil && (len(plan.Sizes) != 1 || plan.Sizes[0] != 64 || plan.Test != writeBW) {
			t.Fatalf("the plan is %+v", plan)
		}
	})
}

// shown fails unless an error's text is printable.
func shown(t *testing.T, err error) {
	t.Helper()
	if strings.ContainsFunc(err.Error(), func(r rune) bool { return r < ' ' }) {
		t.Fatalf("%q has control characters", err)
	}
}
