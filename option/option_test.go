package option

import (
	"encoding/json"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"
)

// Every field of the plan, except those that are not options, has exactly one option, and names are
// unique.
func TestEveryParameterHasOneOption(t *testing.T) {
	for _, test := range Tests() {
		plain := New(test)
		fields := map[string]string{} // of the plan, and the option that sets it
		for _, o := range AgreedOptions() {
			changed := changedFields(t, o, plain)
			for _, f := range changed {
				if other := fields[f]; other != "" {
					t.Errorf("--%s and --%s both set %s", other, o.Name, f)
				}
				fields[f] = o.Name
			}
			if len(changed) != 1 {
				t.Errorf("--%s sets %q, want one field", o.Name, changed)
			}
		}
		if want := reflect.TypeFor[Plan]().NumField() - len([]string{"Test", "Devices", "Perftest"}); len(fields) != want {
			t.Errorf("options set %d of %d fields of the plan", len(fields), want)
		}
	}
}

// example returns an argument that changes the value.
func example(o *Option) string {
	words := map[string]string{"mtu": "256", "rate_units": "M", "arrivals": "poisson", "completion": "event", "adaptive-routing": "no", "touch": "write", "also": "look", "atomic_type": "CMP_AND_SWAP", "connection": "UC", "retry_count": "3", "MGID": "ff12::7", "source_ip": "::7"}
	switch {
	case o.Toggle():
		return "true"
	case words[o.Name] != "":
		return words[o.Name]
	}
	return "7"
}

// changedFields returns the fields of the plan that an option changes.
func changedFields(t *testing.T, o *Option, plain Settings) (changed []string) {
	t.Helper()
	s := plain
	if err := o.Set(&s, example(o)); err != nil {
		t.Fatalf("--%s %s: %v", o.Name, example(o), err)
	}
	was, is := reflect.ValueOf(plain.Plan), reflect.ValueOf(s.Plan)
	for i := range is.NumField() {
		if !reflect.DeepEqual(was.Field(i).Interface(), is.Field(i).Interface()) {
			changed = append(changed, is.Type().Field(i).Name)
		}
	}
	return changed
}

func TestEntriesAreWhole(t *testing.T) {
	names, letters, members := map[string]bool{}, map[string]bool{}, map[string]bool{}
	for _, o := range Table() {
		if names[o.Name] || o.Letter != "" && letters[o.Letter] || o.JSON != "" && members[o.JSON] {
			t.Errorf("--%s: name, letter or JSON name is not unique", o.Name)
		}
		names[o.Name], letters[o.Letter], members[o.JSON] = true, true, true
		agreed := o.Scope == Agreed && o.As == ""
		if o.Help == "" || o.Group == "" || o.value == nil || agreed != (o.JSON != "") || agreed != (o.Label != "") {
			t.Errorf("--%s lacks something: %+v", o.Name, o)
		}
		for _, e := range o.Excludes {
			if Find(e.Name) == nil || e.Why == "" {
				t.Errorf("--%s excludes --%s: %q", o.Name, e.Name, e.Why)
			}
		}
		if o.As != "" && Find(o.As) == nil {
			t.Errorf("--%s is another spelling of --%s, which does not exist", o.Name, o.As)
		}
		if a := FindAbsent(o.Name, ""); a != nil {
			t.Errorf("--%s is in the table and absent: %s", o.Name, a.Why)
		}
		if o.Letter != "" && FindAbsent("", o.Letter) != nil {
			t.Errorf("-%s is in the table and absent", o.Letter)
		}
	}
}

// A plan is the same after encoding and decoding, with any option set.
func TestEncodeAndDecode(t *testing.T) {
	for _, test := range Tests() {
		for _, o := range AgreedOptions() {
			s := New(test)
			if err := o.Set(&s, example(o)); err != nil {
				t.Fatal(err)
			}
			data, err := s.Plan.Encode()
			if err != nil {
				t.Fatal(err)
			}
			given, err := s.Plan.EncodeGiven()
			if err != nil {
				t.Fatal(err)
			}
			for _, form := range [][]byte{data, given} {
				back, unknown, err := Decode(test, form)
				if err != nil || len(unknown) > 0 || !reflect.DeepEqual(back, s.Plan) {
					t.Errorf("%s --%s: %s is %+v, %v, %v", test.Program(), o.Name, form, back, unknown, err)
				}
			}
			var members map[string]any
			if err := json.Unmarshal(given, &members); err != nil || len(members) != 1 || members[o.JSON] == nil {
				t.Errorf("%s --%s alone is encoded as %s, %v", test.Program(), o.Name, given, err)
			}
		}
	}
}

func TestDecodeOverTheDefaults(t *testing.T) {
	test := Test{OpSend, KindBandwidth}
	p, unknown, err := Decode(test, []byte(`{"qps":3,"later":1}`))
	want := Defaults(test)
	want.QPs = 3
	if err != nil || !slices.Equal(unknown, []string{"later"}) || !reflect.DeepEqual(p, want) {
		t.Errorf("%+v, %q, %v", p, unknown, err)
	}
	for _, data := range []string{``, `null`, `[]`, `7`, `{"qps":"3"}`, `{"duration_s":"1"}`, `{"sizes_bytes":7}`, `{"verify":1}`} {
		if _, _, err := Decode(test, []byte(data)); err == nil {
			t.Errorf("%s was taken for a plan", data)
		}
	}
}

func TestDefinitionsAreOfMembers(t *testing.T) {
	p := Defaults(Test{OpWrite, KindLatency})
	data, err := p.Encode()
	if err != nil {
		t.Fatal(err)
	}
	var members map[string]any
	if err := json.Unmarshal(data, &members); err != nil {
		t.Fatal(err)
	}
	definitions, units := Definitions()
	for name, value := range members {
		if definitions[name] == "" {
			t.Errorf("%s has no definition", name)
		}
		if _, number := value.(float64); number && units[name] == "" {
			t.Errorf("%s is a number without a unit", name)
		}
	}
	for name, text := range definitions {
		for _, foreign := range []string{"usec", "%", "64K", "with a unit", "--"} {
			if strings.Contains(text, foreign) {
				t.Errorf("%s is %q: that is a command line's", name, text)
			}
		}
	}
	if len(definitions) != len(members) {
		t.Errorf("%d definitions of %d members", len(definitions), len(members))
	}
}

// Rows can be compared only if all options but the free ones are equal.
func TestKeyTellsPlansApart(t *testing.T) {
	free := []string{"size", "iters", "duration", "run_infinitely", "completion", "compare", "also", "rounds", "runs", "seed", "precision", "time-limit", "margin"}
	test := Test{OpWrite, KindBandwidth}
	plain := Defaults(test)
	for _, o := range AgreedOptions() {
		s := New(test)
		if err := o.Set(&s, example(o)); err != nil {
			t.Fatal(err)
		}
		if same := s.Plan.Key() == plain.Key(); same != slices.Contains(free, o.Name) {
			t.Errorf("--%s: the key is the same: %v", o.Name, same)
		}
	}
	other := Defaults(Test{OpWrite, KindLatency})
	if other.Key() == plain.Key() {
		t.Error("two tests have one key")
	}
}

func TestResolve(t *testing.T) {
	plan := func(test Test, change func(*Plan)) Plan {
		p := Defaults(test)
		change(&p)
		return p.Resolve()
	}
	writeLat, writeBW := Test{OpWrite, KindLatency}, Test{OpWrite, KindBandwidth}
	for name, ok := range map[string]bool{
		"write_bw": plan(writeBW, func(*Plan) {}).Iterations == 5000 && plan(writeBW, func(*Plan) {}).Completion == ModePoll,
		"write_lat": plan(writeLat, func(*Plan) {}).Iterations == 1000 && plan(writeLat, func(*Plan) {}).Completion == ModeAuto &&
			plan(writeLat, func(*Plan) {}).Rounds == 1 && plan(writeLat, func(*Plan) {}).Touch == TouchNone,
		"a comparison": func() bool {
			p := plan(writeBW, func(p *Plan) { p.Compare = true })
			return p.Completion == ModeAuto && p.Runs == DefaultRuns && p.Rounds == DefaultRounds && p.Duration == 400*time.Millisecond && p.Touch == TouchRead && p.TimeLimit == 0
		}(),
		"a counted one":     plan(writeBW, func(p *Plan) { p.Compare, p.Iterations = true, 10 }).Runs == 5,
		"one of few rounds": plan(writeBW, func(p *Plan) { p.Compare, p.Iterations = true, 39 }).Rounds == 1,
		"a seed":            plan(writeBW, func(p *Plan) { p.Compare, p.Seed = true, 7 }).Seed == 7 && plan(writeBW, func(p *Plan) { p.Seed = 7 }).Seed == 0,
		"a list of one": plan(writeBW, func(*Plan) {}).PostList == 1 && plan(writeBW, func(p *Plan) { p.Compare = true }).PostList == 0 &&
			plan(writeBW, func(p *Plan) { p.PostList = 0 }).PostList == 0,
		"a deep one":    plan(writeBW, func(p *Plan) { p.Iterations = 100 }).TxDepth == 100,
		"a shallow one": plan(writeBW, func(p *Plan) { p.Iterations, p.TxDepth = 100, 7 }).TxDepth == 7,
		"a timed run":   plan(writeBW, func(p *Plan) { p.Duration = time.Second }).Iterations == 0,
		"a limit":       plan(writeBW, func(p *Plan) { p.Compare, p.Precision = true, 0.1 }).TimeLimit == DefaultTimeLimit,
	} {
		if !ok {
			t.Errorf("%s is not resolved as it should be", name)
		}
	}
	for _, test := range Tests() {
		p := Defaults(test).Resolve()
		if again := p.Resolve(); !reflect.DeepEqual(p, again) || p.Check() != nil {
			t.Errorf("%s: %+v is resolved to %+v, %v", test.Program(), p, again, p.Check())
		}
	}
}

func TestOptionsOfOtherTestsAreRefused(t *testing.T) {
	p := Defaults(Test{OpRead, KindLatency})
	p.CQMod = 4
	if err := p.Check(); err == nil || !strings.Contains(err.Error(), "--cq-mod 4: ib_read_lat does not have this option") {
		t.Errorf("%v", err)
	}
	p = Defaults(Test{"teleport", KindLatency})
	if err := p.Check(); err == nil {
		t.Error("a test that there is not passed")
	}
}

// TestHelpNamesEveryMode: the help and the meaning of --completion are written by hand.
func TestHelpNamesEveryMode(t *testing.T) {
	o := Find("completion")
	for _, m := range append(Modes(), ModeAuto) {
		for what, text := range map[string]string{"help": o.Help, "meaning": o.Meaning} {
			if !strings.Contains(text, string(m)) {
				t.Errorf("the %s of --completion does not name %s", what, m)
			}
		}
	}
}
