package wrap

import (
	"math/bits"
	"time"

	"github.com/ibperf/ibperf/verbs"
)

// Delay is a time by a number that counts from 0: the same number has the same delay.
type Delay func(n uint64) time.Duration

// Constant is the same for all.
func Constant(d time.Duration) Delay {
	return func(uint64) time.Duration { return d }
}

// Uniform is spread evenly from low to high, both among them, by a seed.
func Uniform(seed uint64, low, high time.Duration) Delay {
	return func(n uint64) time.Duration {
		over, _ := bits.Mul64(mix(seed, n), uint64(high-low)+1)
		return low + time.Duration(over)
	}
}

// Stall is usual, but for every one of so many, the last of them, stall.
func Stall(every uint64, usual, stall time.Duration) Delay {
	return func(n uint64) time.Duration {
		if n%every == every-1 {
			return stall
		}
		return usual
	}
}

// Posts is the delay as [Options.PostDelay].
func (d Delay) Posts(n uint64, _ *verbs.SendWR) time.Duration { return d(n) }

// Arrivals is the delay as [Options.ArrivalDelay], of all completions.
func (d Delay) Arrivals(n uint64, _ *verbs.WC) time.Duration { return d(n) }

// Rate is the time that a request takes by its length at so many bytes a second,
// rounded up: as [Options.PostDelay] a cap of each QP's bandwidth.
func Rate(bytesPerSecond uint64) func(n uint64, wr *verbs.SendWR) time.Duration {
	return func(_ uint64, wr *verbs.SendWR) time.Duration {
		high, low := bits.Mul64(Length(wr), uint64(time.Second))
		low, carry := bits.Add64(low, bytesPerSecond-1, 0)
		ns, _ := bits.Div64(high+carry, low, bytesPerSecond)
		return time.Duration(ns)
	}
}

// Length returns how many bytes the SGEs of a request name.
func Length(wr *verbs.SendWR) (n uint64) {
	for _, e := range elements(wr) {
		n += uint64(e.Length)
	}
	return n
}

// mix is splitmix64's number n from seed.
func mix(seed, n uint64) uint64 {
	z := seed + (n+1)*0x9e3779b97f4a7c15
	z = (z ^ z>>30) * 0xbf58476d1ce4e5b9
	z = (z ^ z>>27) * 0x94d049bb133111eb
	return z ^ z>>31
}
