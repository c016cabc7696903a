package shm

import (
	"slices"
	"testing"
)

// TestTable: numbers are counted on from the size to the highest one and then again; those of
// taken places are left out, and so is place 0.
func TestTable(t *testing.T) {
	table := newTable[int](4, 10)
	var nums []uint32
	enter := func() bool { return table.enter(new(int), func(num uint32) { nums = append(nums, num) }) }
	for i, free := range []uint32{0, 0, 0, 2, 2, 1, 3} {
		table.at(free).Store(nil)
		if !enter() {
			t.Errorf("object %d found no place behind %d", i, nums)
		}
	}
	if want := []uint32{5, 6, 7, 10, 6, 9, 7}; !slices.Equal(nums, want) {
		t.Errorf("numbers %d, want %d", nums, want)
	}
	if enter() || len(table.all()) != 3 {
		t.Errorf("there are %d objects, and there was a place for another one", len(table.all()))
	}
}

// TestTableAtTheEnd: the only free place is found behind the highest number, which is not that of
// the last place.
func TestTableAtTheEnd(t *testing.T) {
	table := newTable[int](4, 10)
	enter := func() bool { return table.enter(new(int), func(uint32) {}) }
	for range 3 {
		if !enter() {
			t.Fatal("a new table is full")
		}
	}
	if table.at(3).Store(nil); !enter() {
		t.Error("place 3 is free and was not found")
	}
}
