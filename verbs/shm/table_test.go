package shm

import (
	"slices"
	"testing"
)

// TestTableReusesFreeSlots covers that numbers increase from the size to the maximum and then start
// over, and skip occupied slots and slot 0.
func TestTableReusesFreeSlots(t *testing.T) {
	table := newTable[int](4, 10)
	var nums []uint32
	insert := func() bool { return table.insert(new(int), func(num uint32) { nums = append(nums, num) }) }
	for i, free := range []uint32{0, 0, 0, 2, 2, 1, 3} {
		table.slot(free).Store(nil)
		if !insert() {
			t.Errorf("object %d got no slot after %d", i, nums)
		}
	}
	if want := []uint32{5, 6, 7, 10, 6, 9, 7}; !slices.Equal(nums, want) {
		t.Errorf("numbers %d, want %d", nums, want)
	}
	if insert() || len(table.all()) != 3 {
		t.Errorf("a full table accepted another object; it has %d objects", len(table.all()))
	}
}

// TestTableFindsSlotAfterHighestNumber covers that the only free slot is found when numbering
// starts over, which happens before the last slot.
func TestTableFindsSlotAfterHighestNumber(t *testing.T) {
	table := newTable[int](4, 10)
	insert := func() bool { return table.insert(new(int), func(uint32) {}) }
	for range 3 {
		if !insert() {
			t.Fatal("a new table is full")
		}
	}
	if table.slot(3).Store(nil); !insert() {
		t.Error("free slot 3 was not found")
	}
}
