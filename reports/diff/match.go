package diff

import (
	"fmt"
	"strings"

	"github.com/ibperf/ibperf/result"
)

// pairOfFiles is the file of each set for a test with its options; nil: the set has none.
type pairOfFiles struct{ a, b *result.File }

// match finds the files of the same test with the same options.
func match(a, b Set) (all []pairOfFiles, err error) {
	ours, err := a.byKey()
	if err != nil {
		return nil, err
	}
	theirs, err := b.byKey()
	if err != nil {
		return nil, err
	}
	for _, f := range a.Files {
		other := theirs[f.Parameters.Key()]
		if other == nil {
			if err := apart(a, b, ours, f); err != nil {
				return nil, err
			}
		}
		all = append(all, pairOfFiles{f, other})
	}
	for _, f := range b.Files {
		if ours[f.Parameters.Key()] == nil {
			all = append(all, pairOfFiles{nil, f})
		}
	}
	return all, nil
}

// byKey returns the files by what makes their rows comparable.
func (s Set) byKey() (map[string]*result.File, error) {
	all := map[string]*result.File{}
	for _, f := range s.Files {
		key := f.Parameters.Key()
		if all[key] != nil {
			return nil, fmt.Errorf("%s has two results of %s with the same options: leave one", s.Name, f.Program)
		}
		all[key] = f
	}
	return all, nil
}

// apart returns an error that names the options in which a test of set a, whose files are ours, differs from all of that program in
// set b. It returns nil if b has no result of the program, or several, which a sweep has, or one that another test of a matches:
// then the test is only in a.
func apart(a, b Set, ours map[string]*result.File, f *result.File) error {
	var same []*result.File
	for _, other := range b.Files {
		if other.Program == f.Program && ours[other.Parameters.Key()] == nil {
			same = append(same, other)
		}
	}
	if len(same) != 1 {
		return nil
	}
	return fmt.Errorf("%s and %s cannot be compared: %s ran with different options: %s",
		a.Name, b.Name, f.Program, strings.Join(f.Parameters.Apart(&same[0].Parameters.Plan), ", "))
}
