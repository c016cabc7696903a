package option

import "slices"

// FindAbsent returns an option of perftest that there is not, by name or letter; nil if
// perftest has none either.
func FindAbsent(name, letter string) *Absent {
	i := slices.IndexFunc(Absents, func(a Absent) bool {
		return name != "" && a.Name == name || letter != "" && a.Letter == letter
	})
	if i < 0 {
		return nil
	}
	return &Absents[i]
}
