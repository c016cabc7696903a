package cli

import (
	"slices"
	"strings"
	"testing"

	"github.com/ibperf/ibperf/option"
)

func TestComplete(t *testing.T) {
	for _, c := range []struct{ words, want string }{ // words are split at blanks; "_" is an empty word
		{"write_", "write_bw write_lat"},
		{"nothing", ""},
		{"nothing --size", ""},
		{"write_lat node", ""},
		{"write_lat --comp", "--completion --compare"},
		{"write_lat --size _", ""},
		{"write_lat --completion a", "auto adaptive"},
		{"write_lat --completion=a", "--completion=auto --completion=adaptive"},
		{"write_lat --completion = a", "auto adaptive"},
		{"write_lat --completion =", "auto data poll counter adaptive event"},
		{"write_lat -c U", "UC UD"},
		{"write_lat --compare --completion d", "data"},
		{"compare --bun", "--bundle"},
		{"conform --loop", "--loopback"},
		{"caps --out_json_f", "--out_json_file"},
	} {
		words := strings.Fields(c.words)
		for i, word := range words {
			if word == "_" {
				words[i] = ""
			}
		}
		var got []string
		for _, fit := range complete(programs(), words) {
			got = append(got, fit.word)
		}
		if !slices.Equal(got, strings.Fields(c.want)) {
			t.Errorf("%s: %q, want %s", c.words, got, c.want)
		}
	}
	if fits := complete(programs(), []string{""}); len(fits) != len(programs()) || fits[0].means == "" {
		t.Errorf("programs: %v", fits)
	}
}

// TestCompleteHasEveryOption: the lines of --help are understood.
func TestCompleteHasEveryOption(t *testing.T) {
	s := option.New(writeLat)
	for _, group := range define(&s).groups {
		for _, own := range group.flags {
			fits := complete(programs(), []string{writeLat.Program()[3:], "--" + own.name})
			if !slices.ContainsFunc(fits, func(c candidate) bool { return c.word == "--"+own.name && c.means != "" }) {
				t.Errorf("--%s: %v", own.name, fits)
			}
		}
	}
}
