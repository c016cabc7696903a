package topology

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
)

// maxNodes is the number of nodes that a list may have.
const maxNodes = 100_000

var errTooMany = fmt.Errorf("more than %d nodes", maxNodes)

// expand returns all names of a Slurm host list such as rack[1-2]n[01-08,17],login.
func expand(list string) (all []string, err error) {
	for list != "" {
		var names []string
		if names, list, err = expandFirst(list); err != nil {
			return nil, err
		}
		if all = append(all, names...); len(all) > maxNodes {
			return nil, errTooMany
		}
	}
	return all, nil
}

// expandFirst returns the names up to the first comma that is not in brackets, and the list after it.
func expandFirst(list string) (names []string, rest string, err error) {
	names = []string{""}
	for list != "" && list[0] != ',' {
		end := strings.IndexAny(list, "[,")
		if end < 0 {
			end = len(list)
		}
		parts := []string{list[:end]}
		if list = list[end:]; end == 0 {
			numbers, after, closed := strings.Cut(list[1:], "]")
			if !closed {
				return nil, "", fmt.Errorf("%.40q has no ]", list)
			}
			if parts, err = expandNumbers(numbers); err != nil {
				return nil, "", err
			}
			list = after
		}
		if len(names)*len(parts) > maxNodes {
			return nil, "", errTooMany
		}
		names = product(names, parts)
	}
	if names[0] == "" {
		return nil, "", errors.New("a node without a name")
	}
	return names, strings.TrimPrefix(list, ","), nil
}

func product(before, after []string) (all []string) {
	for _, b := range before {
		for _, a := range after {
			all = append(all, b+a)
		}
	}
	return all
}

// expandNumbers returns the numbers of a list such as 01-08,17, with the digits that they are written with.
func expandNumbers(list string) (all []string, err error) {
	for part := range strings.SplitSeq(list, ",") {
		first, last, isRange := strings.Cut(part, "-")
		if !isRange {
			last = first
		}
		from, err1 := strconv.ParseUint(first, 10, 31)
		to, err2 := strconv.ParseUint(last, 10, 31)
		if err1 != nil || err2 != nil || to < from {
			return nil, fmt.Errorf("%.40q: write numbers, such as 01-08", part)
		}
		if to-from >= maxNodes {
			return nil, errTooMany
		}
		for n := from; n <= to; n++ {
			all = append(all, fmt.Sprintf("%0*d", len(first), n))
		}
	}
	return all, nil
}
