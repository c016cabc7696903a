package verbstest

import (
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// A Version is a version's numbers, the major one first: {6, 12}.
type Version []int

func (v Version) String() string {
	return strings.Trim(strings.ReplaceAll(fmt.Sprint([]int(v)), " ", "."), "[]")
}

var versionPattern = regexp.MustCompile(`^\d{1,9}(\.\d{1,9})*`)

// VersionOf returns the version that a text begins with, or nil.
func VersionOf(text string) (v Version) {
	for _, number := range strings.Split(versionPattern.FindString(text), ".") {
		n, err := strconv.Atoi(number)
		if err != nil {
			return nil
		}
		v = append(v, n)
	}
	return v
}

// A Range is a range of versions.
type Range struct {
	From  Version // the first version, nil: all
	Below Version // the first later version outside, nil: none
}

// has reports whether a version is in the range. An unknown version, nil, counts as the newest.
func (r Range) has(v Version) bool {
	if v == nil {
		return r.Below == nil
	}
	return slices.Compare(v, r.From) >= 0 && (r.Below == nil || slices.Compare(v, r.Below) < 0)
}

func (r Range) String() string {
	var words []string
	if r.From != nil {
		words = append(words, "from "+r.From.String())
	}
	if r.Below != nil {
		words = append(words, "below "+r.Below.String())
	}
	return strings.Join(words, " ")
}

var errRange = errors.New("want from VERSION below VERSION, or half of it")

// parse reads "from VERSION below VERSION", or half of it.
func (r *Range) parse(value string) error {
	words := strings.Fields(value)
	for ; len(words) >= 2; words = words[2:] {
		version := VersionOf(words[1])
		switch {
		case version == nil:
			return fmt.Errorf("%q is no version", words[1])
		case words[0] == "from" && r.From == nil && r.Below == nil:
			r.From = version
		case words[0] == "below" && r.Below == nil:
			r.Below = version
		default:
			return errRange
		}
	}
	if len(words) != 0 {
		return errRange
	}
	if r.Below != nil && slices.Compare(r.From, r.Below) >= 0 {
		return fmt.Errorf("no version is from %s and below %s", r.From, r.Below)
	}
	return nil
}
