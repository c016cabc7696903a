//go:build trials

package simulation

import (
	"flag"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"
)

var (
	runs  = flag.Int("runs", 3000, "simulated runs of each line of the table")
	table = flag.String("table", "", "write the table into this document")
)

// barSpecs are the clusters for which docs/CLUSTER.md has limits.
var barSpecs = []string{"nodes=8", "nodes=32", "nodes=128", "nodes=1024", "nodes=10000"}

// otherSpecs are further ones of its table.
var otherSpecs = []string{
	"nodes=128,bad=20%", "nodes=128,bad=0", "nodes=128,outliers=5%", "nodes=128,noise=1%", "nodes=128,noise=5%",
	"nodes=128,slow=7%", "nodes=128,slow=5%", "nodes=128,slow=3%",
	"nodes=8,noise=5%", "nodes=8,slow=90%,noise=40%", "nodes=8,slow=90%,noise=40%,bad=0,pairs=1",
}

// TestTrialErrorRates checks the limits of error rates. With -table it also writes the table of docs/CLUSTER.md (make
// cluster-table).
func TestTrialErrorRates(t *testing.T) {
	var lines strings.Builder
	for i, spec := range slices.Concat(barSpecs, otherSpecs) {
		c := simulate(t, spec, *runs)
		if i < len(barSpecs) {
			wantBar(t, c)
		}
		line := tableLine(spec, c)
		lines.WriteString(line)
		t.Log(line)
	}
	writeTable(t, "| --- | --- | --- | --- | --- | --- | --- | --- |\n", lines.String())
}

// groupSpecs are the clusters of the table of groups: with one bad uplink, and without.
var groupSpecs = []string{
	"nodes=128,groups=8,bad=0,uplinks=1,partners=4", "nodes=128,groups=8,bad=0,uplinks=1,partners=16", "nodes=128,groups=8,partners=16",
	"nodes=1024,groups=32,bad=0,uplinks=1,partners=4", "nodes=1024,groups=32,bad=0,uplinks=1,partners=8", "nodes=1024,groups=32,bad=0,uplinks=1,partners=16",
	"nodes=1024,groups=32,uplinks=1,partners=16", "nodes=1024,groups=32,partners=16", "nodes=1024,groups=32,bad=5%,partners=16", "nodes=1024,groups=32,outliers=5%,partners=16",
}

// TestTrialGroups checks that good groups are named in at most one of 1,000 runs, and with -table writes the table of
// groups.
func TestTrialGroups(t *testing.T) {
	var lines strings.Builder
	for _, spec := range groupSpecs {
		c := simulate(t, spec, (*runs+9)/10) // with groups a run takes ten times as long
		if 1000*c.GroupsBlamed > c.Runs {
			t.Errorf("%s: %d of %d runs named a good group", spec, c.GroupsBlamed, c.Runs)
		}
		line := fmt.Sprintf("| `%s` | %d | %d of %d | %d | %d of %d | %d | %d | %.1f |\n",
			spec, c.Runs, c.GroupsFound, c.Groups, c.GroupsBlamed, c.Found, c.Bad, c.Blamed, c.PairsBlamed, c.TestsPerNode())
		lines.WriteString(line)
		t.Log(line)
	}
	writeTable(t, "| --- | --- | --- | --- | --- | --- | --- | ---: |\n", lines.String())
}

// writeTable puts lines in place of those of the document's table that begins with a rule.
func writeTable(t *testing.T, begin, lines string) {
	t.Helper()
	if *table == "" {
		return
	}
	const end = "\n\n"
	text, err := os.ReadFile(*table)
	if err != nil {
		t.Fatal(err)
	}
	head, rest, found := strings.Cut(string(text), begin)
	_, tail, ends := strings.Cut(rest, end)
	if !found || !ends {
		t.Fatalf("%s has no table", *table)
	}
	if err := os.WriteFile(*table, []byte(head+begin+lines+"\n"+tail), 0o644); err != nil {
		t.Fatal(err)
	}
}

// tableLine returns a line of the table.
func tableLine(spec string, c *Counts) string {
	found := fmt.Sprintf("%d of %d", c.Found, c.Bad)
	if c.Pairs > 0 {
		found = fmt.Sprintf("%d of %d pairs", c.PairsFound, c.Pairs)
	}
	return fmt.Sprintf("| `%s` | %d | %s | %d | %d | %d | %d, %d | %.1f |\n",
		spec, c.Runs, found, c.Undecided, c.Cleared, c.Blamed, c.MedianRounds(), c.MostRounds(), c.TestsPerNode())
}
