package result_test

import (
	"testing"

	"github.com/ibperf/ibperf/result"
	"github.com/ibperf/ibperf/verbs"
)

func TestCallPathsAreThoseOfVerbs(t *testing.T) {
	if result.CallsDirect != verbs.CallsDirect || result.CallsCgo != verbs.CallsCgo {
		t.Error("the call paths of result files are not those of verbs")
	}
}

func TestOrderAnswersAreThoseOfVerbs(t *testing.T) {
	for answer, order := range map[string]verbs.Order{
		result.OrderWhole: verbs.OrderWhole, result.OrderBlocks: verbs.OrderBlocks,
		result.OrderNone: verbs.OrderNone, result.OrderUnknown: verbs.OrderUnknown,
	} {
		if order.String() != answer {
			t.Errorf("%q in result files, %q in verbs", answer, order)
		}
	}
}
