package page

import (
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/ibperf/ibperf/internal/testresult"
	"github.com/ibperf/ibperf/option"
	"github.com/ibperf/ibperf/reports/rows"
	"github.com/ibperf/ibperf/reports/verdict"
	"github.com/ibperf/ibperf/result"
)

func TestTitleSaysWhatWasCompared(t *testing.T) {
	lat, bw := testresult.File(t, "write", option.KindLatency, []int{8}, "data", "poll"), testresult.File(t, "write", option.KindBandwidth, []int{8}, "event", "poll")
	read := testresult.File(t, "read", option.KindLatency, []int{8}, "poll")
	read.Local.Device.Name, read.Peer.Device.Name = "mlx5_0", "mlx5_1"
	for want, files := range map[string][]*result.File{
		"No results": nil,
		"RDMA_Write Latency with data and poll on shm_whole":                   {lat},
		"Write with data, poll and event on shm_whole":                         {lat, bw},
		"Write and read with data and poll on shm_whole and mlx5_0 and mlx5_1": {lat, read},
	} {
		if got := title(rows.Groups(files)); got != want {
			t.Errorf("title %q, want %q", got, want)
		}
	}
}

func TestParagraphsOfABrief(t *testing.T) {
	got := paragraphs(&verdict.Brief{
		Lines: []verdict.Line{{About: "advice", Text: "poll"}, {About: "values", Text: "a  b"}, {About: "values", Label: "WRITE", Text: "1  2"}, {About: "next", Label: "Next", Text: "ib_com..."}},
		Next:  verdict.Next{Why: "other work", Command: "ib_compare node2"},
	})
	want := []Paragraph{{Text: "poll", Strong: true}, {Text: "a  b\n" + verdict.Line{Label: "WRITE", Text: "1  2"}.String(), Table: true}, {Label: "Next", Text: "other work:", Code: "ib_compare node2"}}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("paragraphs %+v, want %+v", got, want)
	}
}

// Cards are summaries of sections without an axis and without --verify, if there are any.
func TestSectionsOfCards(t *testing.T) {
	checked := testresult.File(t, "write", option.KindBandwidth, []int{64}, "poll")
	checked.Parameters.Verify = true
	groups := rows.Groups([]*result.File{checked, testresult.File(t, "write", option.KindBandwidth, []int{64}, "poll")})
	plain := slices.IndexFunc(groups, func(g *rows.Group) bool { return !g.Verify })
	write, read := verdict.Card{Op: "write", Kind: option.KindBandwidth}, verdict.Card{Op: "read", Kind: option.KindLatency}
	if got := sectionOf(write, groups); got != plain {
		t.Errorf("section %d, want %d", got, plain)
	}
	if got := sectionOf(write, groups[1-plain:][:1]); got != 0 {
		t.Errorf("with checked runs only: section %d", got)
	}
	if got := sectionOf(read, groups); got != -1 {
		t.Errorf("without a section: %d", got)
	}
}

// The first line of a verdict on corrupted data differs from that on correct data by more than its text.
func TestCorruptedDataStandsOut(t *testing.T) {
	f := testresult.File(t, "write", option.KindLatency, []int{8, 64}, "data", "poll")
	if page := writePage(t, f); !strings.Contains(page, `<section id="verdict">`) {
		t.Error("correct data stands out, or has no verdict")
	}
	f.Rows[0].Verify = &result.Verify{Messages: 1000, Torn: 3}
	if page := writePage(t, f); !strings.Contains(page, `<section id="verdict" class="alarm">`) {
		t.Error("corrupted data does not stand out")
	}
}

// The figure is of ratios of the operation that the advice begins with, if there is one.
func TestPictureIsAboutTheAdvice(t *testing.T) {
	figures := []Figure{{Name: "read_lat_by_size", Kind: "latency"}, {Name: "read_lat_ratio", Kind: "ratio"}, {Name: "write_bw_ratio", Kind: "ratio"},
		{Name: "write_lat_ratio", Kind: "ratio"}, {Name: "send_bw_ratio", Kind: "ratio"}}
	for op, want := range map[option.Op]string{"write": "write_lat_ratio", "send": "send_bw_ratio", "atomic": "read_lat_ratio"} {
		v := &verdict.Verdict{Brief: &verdict.Brief{Actions: []verdict.Action{{Op: op}}}}
		if got := picture(v, figures); got != want {
			t.Errorf("advice about %s: picture %q, want %q", op, got, want)
		}
	}
	v := &verdict.Verdict{Brief: &verdict.Brief{Operations: []verdict.Operation{{Op: "write"}}}} // without a verdict there are no actions
	if got := picture(v, figures); got != "write_lat_ratio" {
		t.Errorf("picture %q without advice", got)
	}
	if got := picture(v, figures[:1]); got != "read_lat_by_size" {
		t.Errorf("picture %q without ratios", got)
	}
	if got := picture(v, nil); got != "" {
		t.Errorf("picture %q without figures", got)
	}
}
