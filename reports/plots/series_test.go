package plots

import (
	"slices"
	"testing"
)

func TestSpread(t *testing.T) {
	if got := spread([]int{1, 2, 3, 4, 5, 6, 7, 8, 9, 10}, 4); !slices.Equal(got, []int{1, 4, 7, 10}) {
		t.Errorf("got %v", got)
	}
	if got := spread([]int{5}, 4); !slices.Equal(got, []int{5}) {
		t.Errorf("got %v", got)
	}
}
