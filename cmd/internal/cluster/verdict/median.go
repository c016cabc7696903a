package verdict

// median returns the median of sorted values, or none if there are no values.
func median(sorted []float64, none float64) float64 {
	n := len(sorted)
	if n == 0 {
		return none
	}
	return (sorted[(n-1)/2] + sorted[n/2]) / 2
}

// medianOfOthers returns the median of sorted values without v, which is one of them, or v if it is the only one.
func medianOfOthers(sorted []float64, v float64) float64 {
	others := len(sorted) - 1
	if others == 0 {
		return v
	}
	at := func(i int) float64 {
		if v <= sorted[i] {
			i++ // v was before it
		}
		return sorted[i]
	}
	return (at((others-1)/2) + at(others/2)) / 2
}

// nth returns the value that would be at index n if values were sorted. It reorders them (quickselect).
func nth(values []float64, n int) float64 {
	low, high := 0, len(values)-1
	for low < high {
		pivot := values[(low+high)/2]
		i, k := low, high
		for i <= k {
			for values[i] < pivot {
				i++
			}
			for values[k] > pivot {
				k--
			}
			if i <= k {
				values[i], values[k] = values[k], values[i]
				i++
				k--
			}
		}
		switch {
		case n <= k:
			high = k
		case n >= i:
			low = i
		default:
			return values[n]
		}
	}
	return values[n]
}
