package verbstest

import (
	"slices"
	"strings"
	"testing"
)

// TestKnownQuirks checks the format of the embedded files.
func TestKnownQuirks(t *testing.T) {
	for _, file := range knownQuirks {
		quirks, err := ParseQuirks(file.name, file.text)
		if err != nil || len(quirks) == 0 {
			t.Errorf("%s: %d quirks, %v", file.name, len(quirks), err)
		}
	}
}

const wholeQuirk = `# a comment
quirk: V1
driver: mlx5_core mlx4_*
part: 0x2C9:41* MT_0000000359
kernel: from 6.1 below 6.12.3
library: from 40
firmware: below 22.31.1014
# another
statements: ERR-4 MR-14
fails: UD-15
does: something: else
source: its manual
`

func TestParseQuirks(t *testing.T) {
	quirks, err := ParseQuirks("own.txt", wholeQuirk+"\n\n\nquirk: V2\ndriver: a\nfails: CQ-1\ndoes: b\nsource: c")
	if err != nil || len(quirks) != 2 {
		t.Fatalf("%+v, %v", quirks, err)
	}
	q := quirks[0]
	if q.ID != "V1" || !slices.Equal(q.Drivers, []string{"mlx5_core", "mlx4_*"}) || !slices.Equal(q.Parts, []string{"0x02c9:41*", "MT_0000000359"}) ||
		q.Kernel.String() != "from 6.1 below 6.12.3" || q.Library.String() != "from 40" || q.Firmware.String() != "below 22.31.1014" ||
		!slices.Equal(q.Statements, []string{"ERR-4", "MR-14"}) || !slices.Equal(q.Fails, []string{"UD-15"}) ||
		q.Does != "something: else" || q.Source != "its manual" {
		t.Errorf("%+v", q)
	}
	if q := quirks[1]; q.ID != "V2" || q.Kernel.String() != "" || q.Parts != nil || q.Statements != nil {
		t.Errorf("%+v", q)
	}
}

func TestParseQuirksRefuses(t *testing.T) {
	for _, c := range []struct{ old, changed, want string }{
		{"does:", "dose:", `own.txt:11: "dose: something: else" is no line of a quirk`},
		{"driver:", "device:", `own.txt:3: "device: mlx5_core mlx4_*" is no line of a quirk`},
		{"quirk: V1", "V1", `own.txt:2: "V1" is no line of a quirk`},
		{"quirk: V1", "quirk:", "own.txt:2: quirk without a value"},
		{"quirk: V1", "quirk: V 1", `own.txt:2: id "V 1"`},
		{"quirk: V1\n", "", "own.txt:12: the quirk that ends here has no line quirk"},
		{"mlx4_*", "mlx4_[", `own.txt:3: pattern "mlx4_["`},
		{"driver: mlx5_core mlx4_*\npart: 0x2C9:41* MT_0000000359\n", "", "own.txt:11: quirk V1 has neither driver nor part"},
		{"driver:", "quirk:", "own.txt:3: a second line quirk: quirks are separated by an empty line"},
		{"from 6.1", "from six", `own.txt:5: "six" is no version`},
		{"from 6.1 below 6.12.3", "below 6.12.3 from 6.1", "own.txt:5: want from VERSION below VERSION"},
		{"from 6.1 below", "from 6.1 until", "own.txt:5: want from"},
		{"6.12.3", "", "own.txt:5: want from"},
		{"from 6.1", "from 6.12.3", "own.txt:5: no version is from 6.12.3 and below 6.12.3"},
		{"from 40", "44", "own.txt:6: want from"},
		{"MR-14", "MR-99", "own.txt:9: the suite asserts no statement MR-99"},
		{"UD-15", "SND-27", "own.txt:10: the suite asserts no statement SND-27"},
		{"statements: ERR-4 MR-14\nfails: UD-15\n", "", "own.txt:11: quirk V1 has neither statements nor fails"},
		{"source: its manual\n", "source: its manual\n\n" + wholeQuirk, "own.txt:26: a second quirk V1"},
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
	quirks, err := ParseQuirks("own.txt", strings.Join([]string{
		"quirk: all\ndriver: *", "quirk: older\ndriver: rdma_rxe\nkernel: below 6.12", "quirk: newer\ndriver: rdma_rxe\nkernel: from 6.12",
		"quirk: between\ndriver: x rdma_r?e\nkernel: from 6.1.5 below 6.12.3", "quirk: part\npart: 0x2c9:4125 0x02c9:4129", "quirk: board\npart: MT_00*",
		"quirk: card\ndriver: mlx5_core\npart: 0x2c9:*\nlibrary: from 40\nfirmware: from 22.31 below 28.39.2048", "quirk: old\ndriver: mlx5_core\nlibrary: below 40",
		"",
	}, "\nfails: CQ-1\ndoes: nothing\nsource: a test\n\n"))
	if err != nil {
		t.Fatal(err)
	}
	cx7 := Identity{"mlx5_core", 0x2c9, 4129, "MT_0000000838", "28.39.1002", "44", "6.12"}
	newFirmware, oldLibrary, unknownLibrary := cx7, cx7, cx7
	newFirmware.Firmware, oldLibrary.Library, unknownLibrary.Library = "28.39.2048", "39", ""
	for _, c := range []struct {
		id   Identity
		want string
	}{
		{Identity{Driver: "rdma_rxe", Kernel: "6.1.0-56-amd64"}, "all older"},
		{Identity{Driver: "rdma_rxe", Kernel: "6.1.5"}, "all older between"},
		{Identity{Driver: "rdma_rxe", Kernel: "6.12.2+deb13-amd64"}, "all newer between"},
		{Identity{Driver: "rdma_rxe", Kernel: "6.12.107+deb13-amd64"}, "all newer"},
		{Identity{Driver: "rdma_rxe", Kernel: "7.2-rc1"}, "all newer"},
		{cx7, "all part board card"},
		{newFirmware, "all part board"},
		{oldLibrary, "all part board old"},
		{unknownLibrary, "all part board card"}, // taken for the newest
	} {
		var ids []string
		for i := range quirks {
			if quirks[i].mismatch(c.id) == "" {
				ids = append(ids, quirks[i].ID)
			}
		}
		if got := strings.Join(ids, " "); got != c.want {
			t.Errorf("%+v: %q, want %q", c.id, got, c.want)
		}
	}
	_, unmatched := QuirksOf(newFirmware, quirks...)
	var why []string
	for _, u := range unmatched {
		why = append(why, u.Quirk.ID+": "+u.Why)
	}
	if got := strings.Join(why, "\n"); got != `older: driver is mlx5_core, not rdma_rxe
newer: driver is mlx5_core, not rdma_rxe
between: driver is mlx5_core, not x or rdma_r?e
card: firmware is 28.39.2048, not from 22.31 below 28.39.2048
old: library is 44, not below 40` {
		t.Error(got)
	}
}

// TestFailsByQuirk runs statements that a quirk says to fail: some do, and one passes.
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
			e.checkQuirks()
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
	if !e.hasQuirk("V1") || e.hasQuirk("V2") {
		t.Error("V1 is a quirk that X-1 meets, V2 is none")
	}
	e.Error("as V2 says")
	if got := e.wrongQuirks(); len(got) != 0 {
		t.Error(got)
	}
}
