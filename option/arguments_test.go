package option

import (
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"
)

// parsed returns the resolved plan of arguments.
func parsed(t *testing.T, test Test, arguments []string) Plan {
	t.Helper()
	s := New(test)
	for rest := arguments; len(rest) > 0; {
		name, value, _ := strings.Cut(rest[0], "=")
		o := Find(strings.TrimPrefix(name, "--"))
		switch rest = rest[1:]; {
		case o == nil:
			t.Fatalf("%q: unknown option %s", arguments, name)
		case value == "" && o.Toggle():
			value = "true"
		case !o.Toggle():
			value, rest = rest[0], rest[1:]
		}
		if err := o.Set(&s, value); err != nil {
			t.Fatalf("%q: %v", arguments, err)
		}
	}
	return s.Plan.Resolve()
}

// Every option that differs from its default is among the arguments, which give the same plan.
func TestArgumentsGiveThePlan(t *testing.T) {
	for _, test := range Tests() {
		for _, compare := range []bool{false, true} {
			for _, o := range AgreedOptions() {
				s := New(test)
				s.Compare = compare
				if err := o.Set(&s, example(o)); err != nil {
					t.Fatal(err)
				}
				for _, p := range []Plan{s.Plan, s.Plan.Resolve()} {
					arguments := p.Arguments()
					if got := parsed(t, test, arguments); !reflect.DeepEqual(got, p.Resolve()) {
						t.Errorf("%s --%s: %q give %+v, want %+v", test.Program(), o.Name, arguments, got, p.Resolve())
					}
				}
			}
		}
	}
}

func TestArgumentsAreFew(t *testing.T) {
	compared := Defaults(Test{OpWrite, KindLatency})
	compared.Compare, compared.Sizes = true, AllSizes()
	short := compared
	short.Sizes, short.Duration, short.Runs, short.Rounds, short.Seed = []int{8, 65536}, CompareDuration, CompareRuns, CompareRounds, 7
	plain := Defaults(Test{OpSend, KindBandwidth})
	few := plain
	few.Iterations, few.MTU, few.Gap = 100, 1024, 0
	paused := Defaults(Test{OpSend, KindLatency})
	paused.Gap, paused.Spin = 10*time.Microsecond, Spin{Time: 2 * time.Millisecond}
	for _, c := range []struct {
		plan Plan
		want string
	}{
		{plain, ""},
		{compared, "--all --compare"},
		{short, "--size 8,65536 --duration 0.04 --compare --rounds 2 --runs 5 --seed 7"},
		{few, "--iters 100 --mtu 1024"},
		{paused, "--latency_gap 10 --spin 2ms"},
	} {
		for _, p := range []Plan{c.plan, c.plan.Resolve()} {
			if got := p.Arguments(); !slices.Equal(got, strings.Fields(c.want)) {
				t.Errorf("arguments %q, want %q", got, c.want)
			}
		}
	}
}
