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
	if *table != "" {
		writeTable(t, lines.String())
	}
}

// writeTable puts lines in place of those of the document's table.
func writeTable(t *testing.T, lines string) {
	t.Helper()
	const begin, end = "| --- | --- | --- | --- | --- | --- | --- | --- |\n", "\n## "
	text, err := os.ReadFile(*table)
	if err != nil {
		t.Fatal(err)
	}
	head, rest, found := strings.Cut(string(text), begin)
	_, tail, ends := strings.Cut(rest, end)
	if !found || !ends {
		t.Fatalf("%s has no table", *table)
	}
	if err := os.WriteFile(*table, []byte(head+begin+lines+end+tail), 0o644); err != nil {
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
