package verdict

import (
	"encoding/json"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/ibperf/ibperf/internal/golden"
	"github.com/ibperf/ibperf/internal/testresult"
	"github.com/ibperf/ibperf/option"
	"github.com/ibperf/ibperf/result"
)

func TestBriefsAreAsInTheGoldenFile(t *testing.T) {
	var b strings.Builder
	for _, c := range briefCases(t) {
		b.WriteString("=== " + c.name + "\n" + Judge(c.files).Brief.Text() + "\n")
	}
	golden.Check(t, "briefs.golden", []byte(b.String()))
}

// briefCases returns the cases of verdicts, and those that matter only to a brief.
func briefCases(t *testing.T) []verdictCase {
	all := verdictCases(t)
	hardware := func(change func(f *result.File)) []*result.File {
		return usual(t, func(f *result.File) {
			onHardware(f)
			f.Peer.Host, f.Comparison = "node2", &result.Comparison{ID: "1"}
			f.Command = []string{"bin/ib_compare", "node2"}
			f.Local.Device.LinkRate, f.Peer.Device.LinkRate = 25e9, 25e9
			change(f)
		})
	}
	checked := checkedFile(t, "write", nil)
	onHardware(checked)
	return append(all,
		verdictCase{"hardware", append(hardware(func(*result.File) {}), checked)},
		verdictCase{"memory on another NUMA node", hardware(func(f *result.File) {
			f.Warnings = append(f.Warnings, result.Warning{ID: result.WarnNUMANode, Text: "on this side 100 % of the memory"})
		})},
		verdictCase{"hardware that promises nothing", hardware(func(f *result.File) {
			answering("mlx5_0", result.OrderNone)(f)
			withoutData(f)
		})},
		verdictCase{"hardware whose switches may route adaptively", hardware(func(f *result.File) {
			if f.Op == option.OpWrite {
				f.Warnings = append(f.Warnings, result.Warning{ID: result.WarnRouting, Text: "ratios compare paths too"})
			}
		})},
		verdictCase{"hardware whose switches route adaptively", hardware(func(f *result.File) {
			f.Parameters.Routing = option.RoutingAdaptive
			for i := range f.Rows {
				f.Rows[i].Opcode = "RDMA_WRITE+RDMA_WRITE_WITH_IMM"
			}
		})},
	)
}

// wantBrief checks the bounds of a brief, and that it has its fixed lines.
func wantBrief(t *testing.T, name string, b *Brief) {
	t.Helper()
	lines := strings.Split(strings.TrimSuffix(b.Text(), "\n"), "\n")
	if len(lines) > MaxLines {
		t.Errorf("%s: %d lines\n%s", name, len(lines), b.Text())
	}
	for _, line := range lines {
		if width(line) > MaxWidth || strings.TrimSpace(line) == "" || strings.HasSuffix(line, " ") {
			t.Errorf("%s: %d characters: %q", name, width(line), line)
		}
	}
	for i, about := range []string{"where", "advice"} {
		if b.Lines[i].About != about {
			t.Errorf("%s: line %d is about %s", name, i+1, b.Lines[i].About)
		}
	}
	if b.Lines[len(b.Lines)-1].About != "next" || b.Next.Command == "" {
		t.Errorf("%s: no next command in\n%s", name, b.Text())
	}
	data, err := json.Marshal(b)
	if err != nil {
		t.Errorf("%s: %v", name, err)
	}
	plainNumbers(t, b.Text(), data)
}

// A brief keeps its bounds with any mixture of runs.
func TestBriefsHaveTwelveLinesOfHundredCharacters(t *testing.T) {
	var files []*result.File
	for _, c := range briefCases(t) {
		wantBrief(t, c.name, Judge(c.files).Brief)
		files = append(files, c.files...)
	}
	for _, op := range option.Ops() {
		for _, kind := range []option.Kind{option.KindLatency, option.KindBandwidth} {
			files = append(files, drawn(rand.New(rand.NewPCG(1, 2)), template(t, op, kind)))
		}
	}
	long := *files[0]
	long.Local.Host, long.Peer.Host = strings.Repeat("ä", 64), strings.Repeat("host", 60)
	long.Local.Device.Name, long.Local.Device.Software = strings.Repeat("device", 40), strings.Repeat("software ", 40)
	long.Command = []string{strings.Repeat("/folder", 50) + "/ib_compare", long.Peer.Host}
	files = append(files, &long)
	for _, f := range testresult.Empty(t) {
		files = append(files, f)
	}
	rnd := rand.New(rand.NewPCG(3, 4))
	for i := range 150 {
		rnd.Shuffle(len(files), func(i, j int) { files[i], files[j] = files[j], files[i] })
		some := slices.Clone(files[:1+rnd.IntN(min(len(files), 1+i/3))])
		if v := Judge(some); v != nil {
			wantBrief(t, "random files", v.Brief)
		}
	}
}
