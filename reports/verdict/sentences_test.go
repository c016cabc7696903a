package verdict

import (
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/ibperf/ibperf/internal/units"
	"github.com/ibperf/ibperf/option"
	"github.com/ibperf/ibperf/result"
)

// Parts of the patterns of clauses.
const (
	places   = `(?P<places>the others|[0-9KM, -]+?)(?: bytes)?`
	times    = `(?P<least>[0-9.]+)(?: to (?P<most>[0-9.]+))? (?:of|times)`
	interval = `\[(?P<low>[0-9.]+)-(?P<high>[0-9.]+)\]`
)

// A clauseShape is the pattern of the clauses of one relation.
type clauseShape struct {
	how   string
	shape *regexp.Regexp
}

var clauseShapes = []clauseShape{
	{"faster", regexp.MustCompile(`^(?P<mode>data|adaptive|event) for ` + places + `, ` + times + ` (?P<base>poll|data|adaptive)'s (?:time|rate) ` + interval + `$`)},
	{"slower", regexp.MustCompile(`^(?P<base>poll|data|adaptive) for ` + places + `, (?P<mode>data|adaptive|event) (?:takes|has) ` + times + ` its (?:time|rate) ` + interval + `$`)},
	{"same", regexp.MustCompile(`^(?P<base>poll|data|adaptive) for ` + places + `, as fast as (?P<mode>data|adaptive|event) ` + interval + `$`)},
	{"saves", regexp.MustCompile(`^(?P<mode>adaptive|event) for ` + places + `, as fast as (?P<base>poll|data|adaptive) ` + interval + `, core busy [0-9.-]+ % [(](?:poll|data|adaptive) [0-9.-]+ %[)]$`)},
	{"unclear", regexp.MustCompile(`^(?:(?P<mode>adaptive|event) or (?P<base>poll|data|adaptive) )?unclear for ` + places + ` ` + interval + `$`)},
	{"disturbed", regexp.MustCompile(`^(?:(?P<mode>adaptive|event) or (?P<base>poll|data|adaptive) )?unclear: disturbed for ` + places + ` [(](?P<count>[0-9]+) of [0-9]+ sizes[)]$`)},
	{"alone", regexp.MustCompile(`^(?:data|poll|adaptive|event) for ` + places + `, the other modes' results are unreliable here$`)},
	{"nothing", regexp.MustCompile(`^nothing is concluded(?: of (?:data|adaptive|event))?(?: for ` + places + `)?: .+$`)},
}

// sizesIn reads "2-512, 4K".
func sizesIn(t *testing.T, f *result.File, text string) []int {
	t.Helper()
	var all []int
	index := func(name string) int {
		i := slices.IndexFunc(randomSizes, func(size int) bool { return units.Size(size) == name })
		if i < 0 {
			t.Fatalf("%q names no size", text)
		}
		return i
	}
	for _, part := range strings.Split(text, ", ") {
		first, last, isRange := strings.Cut(part, "-")
		if !isRange {
			last = first
		}
		for _, size := range randomSizes[index(first) : index(last)+1] {
			// A range is of neighbours among the sizes that were measured.
			if slices.ContainsFunc(f.Rows, func(r result.Row) bool { return r.Size == size }) {
				all = append(all, size)
			}
		}
	}
	return all
}

func number(t *testing.T, text string) float64 {
	t.Helper()
	v, err := strconv.ParseFloat(text, 64)
	if err != nil {
		t.Fatal(err)
	}
	return v
}

// below reports whether a number is at most another one, as they are printed.
func below(a, b float64) bool { return a <= b+max(0.0051, 0.006*b) }

// checkText compares the sentence about a run with its rows, and counts the clauses of each shape.
func (o oracle) checkText(t *testing.T, f *result.File, text string, read map[string]int) {
	t.Helper()
	expected := o.expected(f)
	for _, clause := range strings.Split(text, "; ") {
		i := slices.IndexFunc(clauseShapes, func(s clauseShape) bool { return s.shape.MatchString(clause) })
		if i < 0 {
			t.Errorf("%q is like no clause", clause)
			continue
		}
		m := map[string]string{}
		for j, match := range clauseShapes[i].shape.FindStringSubmatch(clause) {
			m[clauseShapes[i].shape.SubexpNames()[j]] = match
		}
		read[clauseShapes[i].how]++
		if shape := clauseShapes[i].how; shape == "alone" || shape == "nothing" {
			continue
		} else if m["mode"] == "" {
			m["mode"], m["base"] = "data", "poll"
		}
		what := said{option.Mode(m["mode"]), option.Mode(m["base"]), clauseShapes[i].how}
		sizes := sizesLeft(f, expected, what)
		if m["places"] != "the others" {
			sizes = sizesIn(t, f, m["places"])
		}
		if !slices.Equal(sizes, expected[what]) {
			t.Errorf("%q, but that is so for %v", clause, expected[what])
		}
		if m["count"] != "" && m["count"] != strconv.Itoa(len(sizes)) {
			t.Errorf("%q, but there are %d", clause, len(sizes))
		}
		o.checkNumbers(t, f, what, sizes, m)
	}
}

// sizesLeft returns the sizes of a run that no other clause about a pair of modes has.
func sizesLeft(f *result.File, expected map[said][]int, what said) (left []int) {
	for _, size := range f.Parameters.Sizes {
		other := rowsAt(f, size) == 0
		for o, sizes := range expected {
			other = other || o.mode == what.mode && o.base == what.base && o.how != what.how && slices.Contains(sizes, size)
		}
		if !other {
			left = append(left, size)
		}
	}
	return left
}

// checkNumbers compares the numbers of a clause with those of its rows.
func (o oracle) checkNumbers(t *testing.T, f *result.File, what said, sizes []int, m map[string]string) {
	t.Helper()
	all := map[string]float64{"least": math.Inf(1), "low": math.Inf(1)}
	for _, size := range sizes {
		r := o.ratioOf(f, rowAt(f, size, what.mode), rowAt(f, size, what.base))
		all["least"], all["most"] = min(all["least"], r.Value), max(all["most"], r.Value)
		all["low"], all["high"] = min(all["low"], r.Low), max(all["high"], r.High)
	}
	for name, v := range all {
		if text := m[name]; text != "" {
			if got := number(t, text); !below(got, v) || !below(v, got) {
				t.Errorf("%v of %v bytes: %s is %v, the rows have %v", what, sizes, name, got, v)
			}
			if v != 1 && what.how == "slower" && (number(t, text) < 1) != (v < 1) {
				t.Errorf("%v of %v bytes: %s of %v is on the other side of 1", what, sizes, text, v)
			}
		}
	}
}
