package cli

import (
	"strings"
	"testing"
)

// fuzzedServer is a server that was given options of its own.
func fuzzedServer(f *testing.F) *options {
	o, err := parse(writeBW, strings.Fields("-s 64 -q 2 --verify=false --max-qp 100"))
	if err != nil {
		f.Fatal(err)
	}
	return o
}

// Whatever a client proposes, the server comes to a plan that is possible and takes no more
// than it may, or to an error that a terminal can show.
func FuzzProposal(f *testing.F) {
	f.Add([]byte(`{"release":"1","program":"ib_write_bw","device":{"name":"shm_whole","backend":"shm","boot":"x"},"given":["size"],"plan":{"sizes_bytes":[64]}}`))
	f.Add([]byte(`{"release":"1","program":"ib_read_lat","device":{"name":"d","backend":"b"},"given":null,"plan":{"compare":true,"also":["look"]}}`))
	f.Add([]byte(`{"release":"1","program":"ib_send_bw","device":{"name":"d","backend":"b"},"plan":{"qps":16384,"sizes_bytes":[2147483647],"tx_depth":15000,"rx_depth":15000}}`))
	server := fuzzedServer(f)
	f.Fuzz(func(t *testing.T, data []byte) {
		p, err := parseProposal(data)
		if err != nil {
			shown(t, err)
			return
		}
		client, err := readClient(&p)
		if err != nil {
			shown(t, err)
			return
		}
		plan, _, err := merge(client, server)
		if err != nil {
			shown(t, err)
			return
		}
		if err := plan.Check(); err != nil {
			t.Fatalf("a plan that is not possible: %v", err)
		}
		b := newBudget(&server.Own)
		if give, err := b.take(&plan); err == nil {
			if b.taken.Memory <= 0 || b.taken.Memory > b.most.Memory || b.taken.QPs < 1 || b.taken.QPs > b.most.QPs {
				t.Fatalf("%+v is taken of %+v", b.taken, b.most)
			}
			give()
		}
	})
}

// Whatever a server answers, the client has the plan that it was given, or an error.
func FuzzAnswer(f *testing.F) {
	f.Add([]byte(`{"release":"1","device":{"name":"shm_whole","backend":"shm","boot":"x"},"plan":{"sizes_bytes":[64]}}`))
	f.Add([]byte(`{"class":"busy","refusal":"later"}`))
	mine, err := parse(writeBW, []string{"-s", "64", "127.0.0.1"})
	if err != nil {
		f.Fatal(err)
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		a, err := parseAnswer(data)
		if err != nil || a.Refusal != "" {
			return
		}
		plan, err := parsePlan(a.Plan, mine.Test, "server", a.Release)
		if err != nil {
			shown(t, err)
			return
		}
		if _, err := checkAnswer(&plan, mine); err == nil && (len(plan.Sizes) != 1 || plan.Sizes[0] != 64 || plan.Test != writeBW) {
			t.Fatalf("the plan is %+v", plan)
		}
	})
}

// shown holds an error's text to what a terminal may get.
func shown(t *testing.T, err error) {
	t.Helper()
	if strings.ContainsFunc(err.Error(), func(r rune) bool { return r < ' ' }) {
		t.Fatalf("%q has control characters", err)
	}
}
