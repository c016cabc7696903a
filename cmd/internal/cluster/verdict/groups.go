package verdict

import "math"

// A Group is the verdict about nodes that share a part of the network, such as a leaf switch. A part that is slow for
// some of their pairs makes none of them bad.
type Group struct {
	Bad      bool
	Nodes    int
	BadNodes int
	Tests    int     // first tests of pairs with a node of the group, without those of bad nodes
	Low      int     // of them: more than three times the noise below the others
	Others   float64 // share of low ones among all other tests, at least that of outliers
	Chance   float64 // of Low low tests or BadNodes bad nodes, or more, in any group, if no group were worse than the others
}

// falseGroup is the chance of naming a good group in a run.
const falseGroup = 0.001

// Groups returns the verdicts about n groups. A function has the group of each node, -1 for none. Nodes are judged as in v.
func (j *Judge) Groups(v *Judgement, n int, of func(node int) int) []Group {
	groups := make([]Group, n)
	bad, known := 0, 0
	for node, s := range v.Nodes {
		g := of(node)
		if g < 0 {
			continue
		}
		known++
		groups[g].Nodes++
		if s.State == Bad {
			groups[g].BadNodes++
			bad++
		}
	}
	all, low := j.countLow(v, groups, of)
	for i := range groups {
		g := &groups[i]
		g.Others = shareOf(low-g.Low, all-g.Tests)
		tests := binomialTail(g.Low, g.Tests, g.Others)
		nodes := binomialTail(g.BadNodes, g.Nodes, shareOf(bad-g.BadNodes, known-g.Nodes))
		g.Chance = min(float64(2*n)*min(tests, nodes), 1) // two tests of each group
		g.Bad = g.Chance < falseGroup
	}
	return groups
}

// countLow counts the tests of each group, and of all. Later tests of a pair were chosen for its figures, and say
// nothing about chance.
func (j *Judge) countLow(v *Judgement, groups []Group, of func(node int) int) (all, lowOnes int) {
	seen := make([]bool, len(j.pairs))
	for i, t := range j.tests {
		if seen[j.pair[i]] || v.Nodes[t.A].State == Bad || v.Nodes[t.B].State == Bad {
			continue
		}
		seen[j.pair[i]] = true
		low := 0
		if v.residuals[i] < -outlying*v.Noise {
			low = 1
		}
		all, lowOnes = all+1, lowOnes+low
		a, b := of(t.A), of(t.B)
		if a >= 0 {
			groups[a].Tests, groups[a].Low = groups[a].Tests+1, groups[a].Low+low
		}
		if b >= 0 && b != a {
			groups[b].Tests, groups[b].Low = groups[b].Tests+1, groups[b].Low+low
		}
	}
	return all, lowOnes
}

// shareOf returns the share of some of n, as if there was one more, and at least that of outliers.
func shareOf(some, n int) float64 {
	return max(float64(some+1)/float64(n+1), minOutliers)
}

// binomialTail returns the chance of k or more of n events, each with the chance p.
func binomialTail(k, n int, p float64) float64 {
	if k <= 0 || p >= 1 {
		return 1
	}
	logOf := func(n int) float64 { v, _ := math.Lgamma(float64(n) + 1); return v }
	sum := 0.0
	for i := k; i <= n; i++ {
		sum += math.Exp(logOf(n) - logOf(i) - logOf(n-i) + float64(i)*math.Log(p) + float64(n-i)*math.Log1p(-p))
	}
	return min(sum, 1)
}
