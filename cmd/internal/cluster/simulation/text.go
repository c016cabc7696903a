package simulation

import (
	"fmt"
	"strings"
)

// Text returns the counts in words. The rule looked for nodes that are slower by the share slow.
func (c *Counts) Text(spec *Spec, slow float64) string {
	var b strings.Builder
	line := func(label, format string, values ...any) {
		fmt.Fprintf(&b, "%-15s"+format+"\n", append([]any{label}, values...)...)
	}
	line("simulated", "%d runs of %d nodes, noise %s, outliers %s", c.Runs, spec.Nodes, percent(spec.Noise), percent(spec.Outliers))
	line("injected", "%d bad nodes and %d bad pairs in each run, slower by %s", spec.Bad, spec.Pairs, percent(spec.Slow))
	if spec.Groups > 0 {
		line("groups", "%d of %d to %d nodes; of %d, one of %d uplinks is slower by %s", spec.Groups, spec.Nodes/spec.Groups, (spec.Nodes+spec.Groups-1)/spec.Groups, spec.Uplinks, uplinks, percent(uplinkSlow))
	}
	line("looked for", "nodes slower by %s; the noise allowed %s", percent(slow), percent(c.MedianSmallest()))
	line("bad nodes", "%d of %d found (%s), %d undecided, %d taken for good", c.Found, c.Bad, c.FoundPercent(), c.Undecided, c.Cleared)
	line("good nodes", "%d of %d runs blamed one; %d nodes undecided in all runs", c.Blamed, c.Runs, c.GoodUndecided)
	if c.Pairs > 0 {
		line("bad pairs", "%d of %d found; %d of %d runs named another one", c.PairsFound, c.Pairs, c.PairsBlamed, c.Runs)
	}
	if spec.Groups > 0 {
		line("bad groups", "%d of %d found; %d of %d runs named another one", c.GroupsFound, c.Groups, c.GroupsBlamed, c.Runs)
	}
	line("rounds", "%d in the median, %d at most", c.MedianRounds(), c.MostRounds())
	line("tests", "%.1f for each node", c.TestsPerNode())
	return b.String()
}

// FoundPercent returns the part of the bad nodes that was found.
func (c *Counts) FoundPercent() string {
	if c.Bad == 0 {
		return "none there"
	}
	return fmt.Sprintf("%.2f %%", 100*float64(c.Found)/float64(c.Bad))
}

// MedianRounds returns the median of the runs' rounds.
func (c *Counts) MedianRounds() int { return c.Rounds[len(c.Rounds)/2] }

// MostRounds returns the rounds of the longest run.
func (c *Counts) MostRounds() int { return c.Rounds[len(c.Rounds)-1] }

// MedianSmallest returns the median of the smallest slowdowns that the runs could have found.
func (c *Counts) MedianSmallest() float64 { return c.Smallest[len(c.Smallest)/2] }

// TestsPerNode returns how often a node was tested in a run.
func (c *Counts) TestsPerNode() float64 {
	return 2 * float64(c.Tests) / float64(c.Runs) / float64(c.Nodes)
}

func percent(share float64) string { return fmt.Sprintf("%.3g %%", 100*share) }
