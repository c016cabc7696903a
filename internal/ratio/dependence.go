package ratio

import (
	"math"
	"slices"
)

// widening returns how many times as wide as that of independent rounds an interval has
// to be. It looks at ranks, which an outlier does not rule. The two reasons to widen are
// not multiplied, since drift within runs shows in the spread of the runs as well.
func widening(v []float64, runs []int) float64 {
	s := spreadOf(byRun(ranks(v), runs))
	return max(math.Sqrt(s.drift), s.runWidening())
}

// byRun divides values into their runs.
func byRun(v []float64, runs []int) [][]float64 {
	var groups [][]float64
	index := make(map[int]int)
	for i, run := range runs {
		g, known := index[run]
		if !known {
			g = len(groups)
			index[run] = g
			groups = append(groups, nil)
		}
		groups[g] = append(groups[g], v[i])
	}
	return groups
}

// spread tells where values that were taken in runs have their variance.
type spread struct {
	runs, n int
	size    float64 // rounds of a run, a mean that weighs unequal runs

	within  float64 // variance between the rounds of a run
	between float64 // mean square between runs: of independent values, the same as within
	drift   float64 // by how many times dependence between neighbours raises within's effect
}

// spreadOf is a one-way analysis of variance (Kalibera and Jones, section 6).
func spreadOf(groups [][]float64) spread {
	all := slices.Concat(groups...)
	s := spread{runs: len(groups), n: len(all), drift: 1}
	n, grand := float64(s.n), mean(all)
	var within, between, neighbours, sizes2 float64
	for _, g := range groups {
		m := mean(g)
		sizes2 += float64(len(g) * len(g))
		between += float64(len(g)) * (m - grand) * (m - grand)
		for i, x := range g {
			within += (x - m) * (x - m)
			if i > 0 {
				neighbours += (x - m) * (g[i-1] - m)
			}
		}
	}
	if s.n > s.runs {
		s.within = within / float64(s.n-s.runs)
	}
	if s.runs > 1 {
		s.between = between / float64(s.runs-1)
		s.size = (n - sizes2/n) / float64(s.runs-1)
	}
	if within > 0 {
		s.drift = drift(neighbours/within, n/float64(s.runs))
	}
	return s
}

// drift returns by how many times n values whose neighbours correlate by rho are worth
// less than independent ones: n(1-rho)/(1+rho) of those tell as much, if each value
// depends on the past through the last one only. Taken from the mean of size values,
// independent ones seem to have a rho of -1/size, which is put right. What looks like
// less than independent is taken as independent, and a rho above 0.9 as 0.9, as few
// values cannot tell it from a change for good.
func drift(rho, size float64) float64 {
	rho = min(max(rho+1/size, 0), 0.9)
	return (1 + rho) / (1 - rho)
}

func mean(v []float64) float64 {
	var sum float64
	for _, x := range v {
		sum += x
	}
	return sum / float64(len(v))
}

// runWidening is what the runs ask for. Rounds of one run that share a level are worth
// less than as many of different runs, by the design effect 1+(size-1)*icc, where icc is
// the part of the variance that lies between runs (Kish, Survey Sampling, section 5.4).
// As far as the doubt comes from the few runs, their variance is itself in doubt: there
// Student's distribution stands for the normal one, with Satterthwaite's degrees of freedom.
func (s spread) runWidening() float64 {
	if !s.separable() || s.between <= s.within {
		return 1
	}
	levels := (s.between - s.within) / s.size
	icc := levels / (levels + s.within)
	share := 1 - s.within/s.between // of the doubt that comes from the runs
	freedom := 1 / (share*share/float64(s.runs-1) + (1-share)*(1-share)/float64(s.n-s.runs))
	return math.Sqrt(1+(s.size-1)*icc) * student(freedom)
}

// separable tells whether what runs and what rounds add can be told apart.
func (s spread) separable() bool { return s.runs > 1 && s.n > s.runs }

// student returns by how many times Student's 97.5 % quantile is above the normal one,
// to 1 % from one degree of freedom on.
func student(freedom float64) float64 {
	return math.Exp(1.25/freedom + 0.62/(freedom*freedom))
}
