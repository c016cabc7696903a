package confidence

import "math"

// student returns the quantile of Student's distribution with a probability of at least 0.975 and at least one degree
// of freedom. It begins with an approximation of the 97.5 % quantile, which is wrong by less than 1 %, and improves
// it by Newton's steps. Beyond that quantile the distribution bends only downwards, so that no step goes too far.
func student(freedom, probability float64) float64 {
	above, _ := math.Lgamma((freedom + 1) / 2)
	below, _ := math.Lgamma(freedom / 2)
	scale := math.Exp(above-below) / math.Sqrt(math.Pi)
	t := 1.95996 * math.Exp(1.25/freedom+0.62/(freedom*freedom))
	for range 60 {
		// With t = sqrt(freedom) tan(x), the probability of 0 to t is an area below a power of the cosine.
		x := math.Atan(t / math.Sqrt(freedom))
		excess := scale*areaOfCosine(freedom-1, x) - (probability - 0.5)
		density := scale * math.Pow(math.Cos(x), freedom+1) / math.Sqrt(freedom)
		step := excess / density
		if t -= step; math.Abs(step) < 1e-9*t {
			break
		}
	}
	return t
}

// areaOfCosine integrates cos(x)^power from 0 to x by Simpson's rule.
func areaOfCosine(power, x float64) float64 {
	const steps = 40
	h := x / steps
	sum := 1 + math.Pow(math.Cos(x), power)
	for i := 1; i < steps; i++ {
		sum += float64(2+2*(i%2)) * math.Pow(math.Cos(float64(i)*h), power)
	}
	return sum * h / 3
}
