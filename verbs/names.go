package verbs

import (
	"fmt"
	"strings"
)

func nameOf[K ~uint32](names map[K]string, k K) string {
	if s, ok := names[k]; ok {
		return s
	}
	return fmt.Sprintf("%d", uint32(k))
}

// bitNames joins the names of the set bits with "|"; names[i] is bit i.
func bitNames(v uint32, names []string) string {
	var out []string
	for i := range 32 {
		if v&(1<<i) == 0 {
			continue
		}
		if i < len(names) && names[i] != "" {
			out = append(out, names[i])
		} else {
			out = append(out, fmt.Sprintf("bit%d", i))
		}
	}
	if len(out) == 0 {
		return "0"
	}
	return strings.Join(out, "|")
}
