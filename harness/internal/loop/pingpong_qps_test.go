package loop

import "testing"

// The order of the QPs looks random: a receiver that polls them in order polls half of them on
// average until it finds the next message.
func TestOrderOfQPsIsScattered(t *testing.T) {
	const n = 256
	flows := make([]*Flow, n)
	place := map[*Flow]int{}
	for i := range flows {
		flows[i] = &Flow{}
		place[flows[i]] = i
	}
	var tr rotation
	tr.begin(flows)
	seen := map[*Flow]int{}
	distance := 0
	last := tr.nextFlow()
	for range 4 * n {
		l := tr.nextFlow()
		seen[l]++
		distance += (place[l] - place[last] + n) % n
		last = l
	}
	if len(seen) != n {
		t.Errorf("%d of %d QPs had a turn", len(seen), n)
	}
	if mean := distance / (4 * n); mean < n*4/10 || mean > n*6/10 {
		t.Errorf("the next message is %d QPs away on average, of %d", mean, n)
	}
}
