package testdevice

import (
	"math/bits"
	"time"

	"github.com/ibperf/ibperf/verbs"
)

// Delay returns delay n, counted from 0. The same n has the same delay.
type Delay func(n uint64) time.Duration

// Constant returns a constant delay.
func Constant(d time.Duration) Delay {
	return func(uint64) time.Duration { return d }
}

// Uniform returns delays that are uniformly distributed from low to high inclusive, by a seed.
func Uniform(seed uint64, low, high time.Duration) Delay {
	return func(n uint64) time.Duration {
		over, _ := bits.Mul64(mix(seed, n), uint64(high-low)+1)
		return low + time.Duration(over)
	}
}

// Stall returns stall for the last of each group of every delays, and usual for the others.
func Stall(every uint64, usual, stall time.Duration) Delay {
	return func(n uint64) time.Duration {
		if n%every == every-1 {
			return stall
		}
		return usual
	}
}

// Posts returns the delay as [Options.PostDelay].
func (d Delay) Posts(n uint64, _ *verbs.SendWR) time.Duration { return d(n) }

// Arrivals returns the delay as [Options.ArrivalDelay], for all completions.
func (d Delay) Arrivals(n uint64, _ *verbs.WC) time.Duration { return d(n) }

// Rate returns the time in which bytesPerSecond transfers a request, rounded up. As
// [Options.PostDelay] it limits the bandwidth of each QP.
func Rate(bytesPerSecond uint64) func(n uint64, wr *verbs.SendWR) time.Duration {
	return func(_ uint64, wr *verbs.SendWR) time.Duration {
		high, low := bits.Mul64(Length(wr), uint64(time.Second))
		low, carry := bits.Add64(low, bytesPerSecond-1, 0)
		ns, _ := bits.Div64(high+carry, low, bytesPerSecond)
		return time.Duration(ns)
	}
}

// Length returns the number of bytes in the SGEs of a request.
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
