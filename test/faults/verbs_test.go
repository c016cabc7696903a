package faults

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"testing"
)

// namesIn returns the names that the first group of an expression matches in files.
func namesIn(t *testing.T, files, expression string) (names []string) {
	t.Helper()
	paths, err := filepath.Glob(files)
	if err != nil || len(paths) == 0 {
		t.Fatalf("%s: no files, %v", files, err)
	}
	for _, path := range paths {
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range regexp.MustCompile(expression).FindAllSubmatch(text, -1) {
			names = append(names, string(m[1]))
		}
	}
	slices.Sort(names)
	return slices.Compact(names)
}

// verbsPoints returns the names of the calls that the test library can fail.
func verbsPoints(t *testing.T) []string {
	return namesIn(t, "../../verbs/ibv/testdata/libibverbs/*.c", `\b(?:result|object)\("([a-z_0-9]+)"`)
}

// otherNames are the calls of libibverbs whose points have another name, or none for the reason given.
var otherNames = map[string]string{
	"reg_mr_iova2":      "reg_mr",
	"create_ah_from_wc": "init_ah_from_wc",
	"get_device_list":   "", // without the library there is no device, see test/e2e
	"get_cq_event":      "", // it waits; the completion channel's creation and arming have points
	"qp_to_qp_ex":       "", // a cast
}

// TestEveryVerbHasAPoint fails if the product calls a function of libibverbs that cannot be made to fail.
func TestEveryVerbHasAPoint(t *testing.T) {
	has := verbsPoints(t)
	for _, call := range namesIn(t, "../../verbs/ibv/library.h", `(?m)^\tF\((?:int|struct [a-z_]+ \*+), ([a-z_0-9]+),`) {
		name, other := otherNames[call]
		if !other {
			name = call
		}
		if name != "" && !slices.Contains(has, name) {
			t.Errorf("ibv_%s has no point: the test library cannot fail it", call)
		}
	}
}
