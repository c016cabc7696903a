package reports

import (
	"strings"
	"testing"

	"github.com/ibperf/ibperf/reports/internal/synthetic"
	"github.com/ibperf/ibperf/reports/result"
)

// The ratios that plots draw are those of the tables.
func TestRatiosAreThoseOfTheTables(t *testing.T) {
	for _, kind := range []string{result.KindLatency, result.KindBandwidth} {
		f := synthetic.File(t, "write", kind, []int{2, 64, 4096}, "data", "poll", "event")
		ratios := Groups([]*result.File{f})[0].Ratios()
		if len(ratios) != 6 { // of data and event, three sizes
			t.Errorf("%s: %d ratios", kind, len(ratios))
		}
		text := strings.ReplaceAll(sideBySide(t, f), "\n", " ")
		for row, r := range ratios {
			if r.To != "poll" || row.Mode == "poll" || !strings.Contains(text, " "+r.Text()+" ") {
				t.Errorf("%s, size %d, %s: %q is not in\n%s", kind, row.Size, row.Mode, r.Text(), text)
			}
		}
	}
}

func TestVariantsHaveRatiosToTheirMode(t *testing.T) {
	f := variants(t)
	for row, r := range Groups([]*result.File{f})[0].Ratios() {
		if r.To != row.Base() {
			t.Errorf("%s is compared with %s", row.Name(), r.To)
		}
	}
}

func TestRowsHaveNoRatioIf(t *testing.T) {
	for name, change := range map[string]func(f *result.File){
		"nothing may be concluded":          func(f *result.File) { f.Rows[0].NoRatio = "no mode waits" },
		"nothing may be concluded of polls": func(f *result.File) { f.Rows[1].NoRatio = "no mode waits" },
		"too few rounds":                    func(f *result.File) { f.Rows[0].Rounds = f.Rows[0].Rounds[:5] },
		"no rounds":                         func(f *result.File) { f.Rows[1].Rounds = nil },
		"nothing to compare with":           func(f *result.File) { f.Rows[1].Mode = "event" },
	} {
		f := synthetic.File(t, "write", result.KindLatency, []int{64}, "data", "poll")
		change(f)
		if all := Groups([]*result.File{f})[0].Ratios(); len(all) != 0 {
			t.Errorf("%s: ratios %v", name, all)
		}
	}
	apart := []*result.File{synthetic.File(t, "write", result.KindLatency, []int{64}, "data"), synthetic.File(t, "write", result.KindLatency, []int{64}, "poll")}
	if all := Groups(apart)[0].Ratios(); len(all) != 0 {
		t.Errorf("separate runs: ratios %v", all)
	}
}
