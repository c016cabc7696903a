package verdict

import (
	"math"
	"math/big"
	"math/rand/v2"
	"testing"
)

// grouped returns the verdicts about four groups of 16 nodes after some rounds, of which a function changes values.
func grouped(rounds int, change func(t *Test, random *rand.Rand)) []Group {
	const nodes = 64
	random, j := rand.New(rand.NewPCG(1, 9)), New(nodes, 0.1)
	for round := range rounds {
		order := random.Perm(nodes)
		for i := 0; i < nodes; i += 2 {
			t := Test{Round: round, A: order[i], B: order[i+1], Value: 100 * math.Exp(0.02*random.NormFloat64())}
			change(&t, random)
			j.Add(t)
		}
	}
	return j.Groups(j.Judge(), 4, groupOf)
}

func groupOf(node int) int { return node / 16 }

func wantGroups(t *testing.T, groups []Group, bad int) {
	t.Helper()
	for i, g := range groups {
		if g.Bad != (i == bad) {
			t.Errorf("group %d: %+v; want bad: %v", i, g, i == bad)
		}
	}
}

func TestGroups(t *testing.T) {
	t.Run("none is bad", func(t *testing.T) { wantGroups(t, grouped(20, func(*Test, *rand.Rand) {}), -1) })
	t.Run("low tests", func(t *testing.T) {
		groups := grouped(20, func(test *Test, random *rand.Rand) {
			if a, b := groupOf(test.A), groupOf(test.B); a != b && (a == 2 || b == 2) && random.IntN(6) == 0 {
				test.Value /= 2
			}
		})
		wantGroups(t, groups, 2)
		if g := groups[2]; g.BadNodes > 0 || g.Low < 20 || g.Chance > 1e-6 {
			t.Errorf("group 2: %+v", g)
		}
	})
	t.Run("one bad node", func(t *testing.T) {
		groups := grouped(20, func(test *Test, _ *rand.Rand) {
			if test.A == 5 || test.B == 5 {
				test.Value /= 2
			}
		})
		wantGroups(t, groups, -1)
		if groups[0].BadNodes != 1 || groups[0].Low > 1 {
			t.Errorf("group 0: %+v", groups[0])
		}
	})
	t.Run("all nodes of a group", func(t *testing.T) {
		groups := grouped(20, func(test *Test, _ *rand.Rand) {
			if groupOf(test.A) == 1 || groupOf(test.B) == 1 {
				test.Value /= 2
			}
		})
		wantGroups(t, groups, 1)
		if groups[1].BadNodes != 16 {
			t.Errorf("group 1: %+v", groups[1])
		}
	})
}

// TestRepeatedTestsCountOnce: tests of a pair that was chosen again for its figures say nothing about chance.
func TestRepeatedTestsCountOnce(t *testing.T) {
	groups := grouped(20, func(test *Test, _ *rand.Rand) {
		if test.Round > 0 {
			test.A, test.B = 2*(test.A/2), 2*(test.A/2)+1 // the same pairs in all rounds
		}
		if test.A == 0 || test.A == 2 {
			test.Value /= 2
		}
	})
	if groups[0].Low > 4 || groups[0].Bad && groups[0].BadNodes == 0 {
		t.Errorf("group 0: %+v", groups[0])
	}
}

// TestBinomialTail compares it with exact fractions.
func TestBinomialTail(t *testing.T) {
	for _, c := range []struct {
		k, n int
		p    float64
	}{{0, 10, 0.1}, {1, 1, 0.25}, {3, 20, 0.01}, {13, 250, 0.011}, {40, 40, 0.5}, {2, 1, 0.5}, {70, 1000, 0.05}} {
		want := exactTail(c.k, c.n, c.p)
		if got := binomialTail(c.k, c.n, c.p); math.Abs(got-want) > 1e-9*want {
			t.Errorf("%d or more of %d with %g: %g, want %g", c.k, c.n, c.p, got, want)
		}
	}
}

// exactTail computes with 300 bits.
func exactTail(k, n int, p float64) float64 {
	sum, one := new(big.Float).SetPrec(300), big.NewFloat(1).SetPrec(300)
	good, bad := big.NewFloat(p).SetPrec(300), new(big.Float).SetPrec(300).Sub(one, big.NewFloat(p))
	power := func(v *big.Float, n int) *big.Float {
		r := new(big.Float).Copy(one)
		for range n {
			r.Mul(r, v)
		}
		return r
	}
	for i := k; i <= n; i++ {
		if i > k+60 {
			break // the rest is below the precision
		}
		term := new(big.Float).SetPrec(300).SetInt(new(big.Int).Binomial(int64(n), int64(i)))
		sum.Add(sum, term.Mul(term, power(good, i)).Mul(term, power(bad, n-i)))
	}
	v, _ := sum.Float64()
	return v
}
