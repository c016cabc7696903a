package rows

// Knee returns the knee of a mode in a sweep along rates: the largest rate at which it answered, in the median round, while its
// backlog grew; 0 if it kept all rates. A rate just below the knee is too much now and then, on an unsteady host, and its answers are
// fewer than the mode can give. The entries are those of one mode and size.
func Knee(entries []Entry) (most float64) {
	for _, e := range entries {
		if e.Load != nil && e.Load.Growing {
			most = max(most, e.Row.MedianRate())
		}
	}
	return most
}
