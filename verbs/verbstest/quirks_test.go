package verbstest

import (
	"slices"
	"strings"
	"testing"
)

// TestKnownQuirks holds the embedded file to its format.
func TestKnownQuirks(t *testing.T) {
	quirks, err := ParseQuirks("quirks.txt", knownQuirks)
	if err != nil || len(quirks) == 0 {
		t.Fatalf("%d quirks, %v", len(quirks), err)
	}
}

const wholeQuirk = `# a comment
quirk: V1
device: mlx5_* mlx5_core
kernel: from 6.1 below 6.12.3
# another
statements: ERR-4 MR-14
fails: UD-15
does: something: else
source: its manual
`

func TestParseQuirks(t *testing.T) {
	quirks, err := ParseQuirks("own.txt", wholeQuirk+"\n\n\nquirk: V2\ndevice: a\nfails: CQ-1\ndoes: b\nsource: c")
	if err != nil || len(quirks) != 2 {
		t.Fatalf("%+v, %v", quirks, err)
	}
	q := quirks[0]
	if q.ID != "V1" || !slices.Equal(q.Devices, []string{"mlx5_*", "mlx5_core"}) ||
		!slices.Equal(q.From, Kernel{6, 1}) || !slices.Equal(q.Below, Kernel{6, 12, 3}) ||
		!slices.Equal(q.Statements, []string{"ERR-4", "MR-14"}) || !slices.Equal(q.Fails, []string{"UD-15"}) ||
		q.Does != "something: else" || q.Source != "its manual" {
		t.Errorf("%+v", q)
	}
	if q := quirks[1]; q.ID != "V2" || q.From != nil || q.Below != nil || q.Statements != nil {
		t.Errorf("%+v", q)
	}
}

func TestParseQuirksRefuses(t *testing.T) {
	for _, c := range []struct{ old, changed, want string }{
		{"does:", "dose:", `own.txt:8: "dose: something: else" is no line of a quirk`},
		{"quirk: V1", "V1", `own.txt:2: "V1" is no line of a quirk`},
		{"quirk: V1", "quirk:", "own.txt:2: quirk without a value"},
		{"quirk: V1", "quirk: V 1", `own.txt:2: id "V 1"`},
		{"quirk: V1\n", "", "own.txt:9: the quirk that ends here has no line quirk"},
		{"device: mlx5_* mlx5_core", "device: mlx5_[", `own.txt:3: pattern "mlx5_["`},
		{"device: mlx5_* mlx5_core\n", "", "own.txt:9: the quirk that ends here has no line device"},
		{"device:", "quirk:", "own.txt:3: a second line quirk: quirks are separated by an empty line"},
		{"from 6.1", "from six", `own.txt:4: "six" is no version`},
		{"from 6.1 below 6.12.3", "below 6.12.3 from 6.1", "own.txt:4: want kernel: from VERSION below VERSION"},
		{"from 6.1 below", "from 6.1 until", "own.txt:4: want kernel"},
		{"6.12.3", "", "own.txt:4: want kernel"},
		{"from 6.1", "from 6.12.3", "own.txt:4: no kernel is from [6 12 3] and below [6 12 3]"},
		{"MR-14", "MR-99", "own.txt:6: the suite asserts no statement MR-99"},
		{"UD-15", "SND-27", "own.txt:7: the suite asserts no statement SND-27"},
		{"statements: ERR-4 MR-14\nfails: UD-15\n", "", "own.txt:8: quirk V1 has neither statements nor fails"},
		{"source: its manual\n", "source: its manual\n\n" + wholeQuirk, "own.txt:20: a second quirk V1"},
	} {
		text := strings.Replace(wholeQuirk, c.old, c.changed, 1)
		if text == wholeQuirk {
			t.Fatalf("%q is not in the text", c.old)
		}
		if _, err := ParseQuirks("own.txt", text); err == nil || !strings.HasPrefix(err.Error(), c.want) {
			t.Errorf("%q for %q: %v, want %s", c.changed, c.old, err, c.want)
		}
	}
}

func TestQuirksApply(t *testing.T) {
	quirks := []Quirk{
		{ID: "all", Devices: []string{"*"}},
		{ID: "older", Devices: []string{"rdma_rxe"}, Below: Kernel{6, 12}},
		{ID: "newer", Devices: []string{"rdma_rxe"}, From: Kernel{6, 12}},
		{ID: "between", Devices: []string{"x", "rxe?"}, From: Kernel{6, 1, 5}, Below: Kernel{6, 12, 3}},
	}
	for _, c := range []struct{ device, driver, release, want string }{
		{"rxe0", "rdma_rxe", "6.1.0-56-amd64", "all older"},
		{"rxe0", "rdma_rxe", "6.1.5", "all older between"},
		{"rxe0", "rdma_rxe", "6.12.2+deb13-amd64", "all newer between"},
		{"rxe0", "rdma_rxe", "6.12.107+deb13-amd64", "all newer"},
		{"roce", "rdma_rxe", "7.2-rc1", "all newer"},
		{"mlx5_0", "", "6.12", "all"},
	} {
		var ids []string
		for _, q := range applying(slices.Clone(quirks), []string{c.device, c.driver}, kernelOf(c.release)) {
			ids = append(ids, q.ID)
		}
		if got := strings.Join(ids, " "); got != c.want {
			t.Errorf("%s with Linux %s: %q, want %q", c.device, c.release, got, c.want)
		}
	}
}

// TestFailsByQuirk runs statements that fail, and one that passes, by a quirk.
func TestFailsByQuirk(t *testing.T) {
	quirks := []Quirk{{ID: "V1", Does: "nothing", Fails: []string{"X-1"}}}
	for name, run := range map[string]func(*env){
		"Errorf":  func(e *env) { e.Errorf("one of %d", 2); e.Error("two") },
		"Fatal":   func(e *env) { e.Fatal("the end"); panic("not reached") },
		"Fatalf":  func(e *env) { e.Fatalf("the %s", "end"); panic("not reached") },
		"subtest": func(e *env) { e.sub("one", func(e *env) { e.Fatal("here") }) },
	} {
		var sub *testing.T
		t.Run(name, func(t *testing.T) {
			sub = t
			e := newEnv(testOf(t), Target{Quirks: quirks}, statement{id: "X-1"})
			run(e)
			e.allQuirksMet()
		})
		if !sub.Skipped() || sub.Failed() {
			t.Errorf("%s: skipped %v, failed %v", name, sub.Skipped(), sub.Failed())
		}
	}
}

func TestWrongQuirks(t *testing.T) {
	quirks := []Quirk{{ID: "V1", Statements: []string{"X-1"}}, {ID: "V2", Fails: []string{"X-1"}}, {ID: "V3", Fails: []string{"X-2"}}}
	e := newEnv(testOf(t), Target{Quirks: quirks}, statement{id: "X-1"})
	got := strings.Join(e.wrongQuirks(), "\n")
	want := "quirk V1 names X-1, which does not depend on it: list it under fails if it fails\n" +
		"X-1 passes: quirk V2 no longer reproduces: remove it"
	if got != want {
		t.Errorf("%s\nwant %s", got, want)
	}
	if !e.quirk("V1") || e.quirk("V2") {
		t.Error("V1 is a quirk that X-1 meets, V2 is none")
	}
	e.Error("as V2 says")
	if got := e.wrongQuirks(); len(got) != 0 {
		t.Error(got)
	}
}
