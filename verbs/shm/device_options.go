package shm

import (
	"cmp"
	"fmt"
	"math/rand/v2"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/ibperf/ibperf/verbs"
	"github.com/ibperf/ibperf/verbs/internal/store"
)

// Options are the parameters of an embedded device. In a name for [verbs.Lookup] or -d they follow
// the device as :key=value, for example "shm_whole:delay=20us:seed=7".
type Options struct {
	// Seed determines the order in which a shuffling device stores data, which requests are late, and random delays. The
	// order repeats with the same seed if QPs are created in the same order and each QP gets the
	// same requests in the same order. With 0 the process draws one random seed for all its
	// devices. Key seed, 1 to 2^64-1.
	Seed uint64

	// Delay is the time that a request waits in the send queue before the device reads its data and
	// stores it, up to one minute. An application that reuses a buffer before it has polled the
	// completion then sends wrong bytes. With DelayMost each request has its own delay, uniformly
	// distributed from Delay to DelayMost. Key delay, as 20us or 5us-50us.
	Delay, DelayMost time.Duration

	// Late is n to let one in n WRITEs and SENDs of a connected QP be late: up to 16 WRITEs that were posted after it execute
	// before it. The default is 8, on shm_whole none. Key late.
	Late int

	// Early is n to let one in n signaled WRITEs of at most 4 KiB complete some 20 us before its data is in the peer's
	// memory. Key early.
	Early int

	// RelaxedShuffle stores data in shuffled order in memory with AccessRelaxedOrdering, about which no device promises anything.
	// All but shm_whole do so anyway. Key relaxed, as relaxed=shuffle.
	RelaxedShuffle bool

	// LinkDown is n to take down the link of every n-th connected QP of a context. Its requests end
	// with RETRY_EXC_ERR after their retries. Key linkdown.
	LinkDown int

	// RNR is n to answer every n-th message of a QP that consumes a receive with one RNR NAK. With
	// rnr_retry 0 the request ends with RNR_RETRY_EXC_ERR. Key rnr.
	RNR int

	// Loss is n to lose every n-th UD message of a QP. Key loss.
	Loss int
}

// Device returns the embedded device with the name, listed or not, and with the options, which
// become part of its name. Errors wrap [verbs.ErrNoDevice] if there is no such device.
func Device(name string, o Options) (verbs.Device, error) {
	d, err := backend{}.Lookup(name + o.String())
	if d == nil && err == nil {
		err = fmt.Errorf("device %q: %w with this name in the embedded backend", name, verbs.ErrNoDevice)
	}
	return d, err
}

// String returns the options in the form in which they follow a device's name.
func (o Options) String() (s string) {
	if o.Delay != 0 || o.DelayMost != 0 {
		s += ":delay=" + o.Delay.String()
		if o.DelayMost != 0 {
			s += "-" + o.DelayMost.String()
		}
		s = strings.ReplaceAll(s, "µ", "u")
	}
	if o.RelaxedShuffle {
		s += ":relaxed=shuffle"
	}
	for _, key := range []string{"late", "early", "linkdown", "rnr", "loss"} {
		if n := *o.every(key); n != 0 {
			s += fmt.Sprintf(":%s=%d", key, n)
		}
	}
	if o.Seed != 0 {
		s += fmt.Sprintf(":seed=%d", o.Seed)
	}
	return s
}

// every returns the "every n-th" option with the key, or nil for other keys.
func (o *Options) every(key string) *int {
	return map[string]*int{"late": &o.Late, "early": &o.Early, "linkdown": &o.LinkDown, "rnr": &o.RNR, "loss": &o.Loss}[key]
}

// configure sets the options from the parameters of a name, such as "seed=7".
func (d *device) configure(parameters []string) error {
	set := map[string]string{}
	for _, p := range parameters {
		key, value, _ := strings.Cut(p, "=")
		err := d.options.set(key, value)
		if before, repeated := set[key]; repeated && err == nil {
			err = fmt.Errorf("%s: already set to %s", p, before)
		}
		if err != nil {
			return fmt.Errorf("device %s: %w", d.name, err)
		}
		set[key] = value
	}
	if d.options.Late != 0 {
		d.late = d.options.Late
	}
	d.relaxed = d.relaxed || d.options.RelaxedShuffle
	if (d.options.Late != 0 || d.options.Early != 0) && d.delays() {
		return fmt.Errorf("device %s: late or early and delay: a device that delays requests keeps their order", d.name)
	}
	if d.options.Seed != 0 && !d.draws() {
		return fmt.Errorf("device %s: seed=%s: the device stores data in ascending order, so a seed has no effect", d.name, set["seed"])
	}
	return nil
}

// draws reports whether anything that the device does depends on its seed.
func (d *device) draws() bool {
	return d.placement != ascending || d.relaxed || d.late != 0 || d.options.Early != 0 || d.options.DelayMost != 0
}

func (o *Options) set(key, value string) (err error) {
	switch n := o.every(key); {
	case n != nil:
		if *n, err = strconv.Atoi(value); err != nil || *n < 1 {
			return fmt.Errorf("%s=%s: must be a number N of at least 1, for every N-th", key, value)
		}
	case key == "seed":
		if o.Seed, err = strconv.ParseUint(value, 10, 64); err != nil || o.Seed == 0 {
			return fmt.Errorf("seed=%s: must be a number from 1 to 2^64-1", value)
		}
	case key == "relaxed":
		if o.RelaxedShuffle = value == "shuffle"; !o.RelaxedShuffle {
			return fmt.Errorf("relaxed=%s: the only value is shuffle", value)
		}
	case key == "delay":
		return o.setDelay(value)
	default:
		return fmt.Errorf("unknown parameter %q; known are seed=N, delay=TIME, delay=LEAST-MOST, late=N, early=N, relaxed=shuffle, linkdown=N, rnr=N and loss=N", key)
	}
	return nil
}

const longestDelay = time.Minute

func (o *Options) setDelay(value string) error {
	least, most, both := strings.Cut(value, "-")
	if !both {
		most = least
	}
	var err1, err2 error
	o.Delay, err1 = time.ParseDuration(least)
	o.DelayMost, err2 = time.ParseDuration(most)
	if err1 != nil || err2 != nil || o.Delay < 0 || o.DelayMost <= 0 || o.DelayMost < o.Delay || o.DelayMost > longestDelay {
		return fmt.Errorf("delay=%s: must be a time such as 20us, or a range such as 5us-50us, up to %v", value, longestDelay)
	}
	if !both {
		o.DelayMost = 0
	}
	return nil
}

// randomSeed returns the seed of this process's devices that have no seed option. It is short
// enough to type.
var randomSeed = sync.OnceValue(func() uint64 { return 1 + rand.Uint64N(1e9) })

func (d *device) seedInUse() uint64 {
	return cmp.Or(d.options.Seed, randomSeed())
}

// shuffler returns the shuffler of a QP, from which the order of each of its requests is derived.
func (d *device) shuffler(qpNum uint32) store.Shuffler {
	return store.NewShuffler(d.seedInUse()).Of(uint64(qpNum))
}
