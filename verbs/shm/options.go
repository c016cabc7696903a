package shm

import (
	"cmp"
	"fmt"
	"math/rand/v2"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/ibperf/ibperf/internal/place"
	"github.com/ibperf/ibperf/verbs"
)

// Options are the parameters of an embedded device. In a name that [verbs.Lookup] or -d
// takes they follow the device, each as :key=value, for example "shm_whole:delay=20us:seed=7".
type Options struct {
	// Seed determines the order in which a device that shuffles stores data, and delays that
	// are drawn: with the
	// same seed, QPs that are made in the same order, and requests that are posted in the
	// same order on each of them, it is the same again. 0 takes a random seed, which is the
	// same for all devices of the process. Key seed, 1 to 2^64-1.
	Seed uint64

	// Delay is how long a request waits in the send queue before the device reads its data and
	// stores it, up to a minute. So a buffer that is used again before its completion was polled sends the
	// wrong bytes. With DelayMost each request has a delay of its own, evenly distributed from Delay
	// to DelayMost. Key delay, as 20us or 5us-50us.
	Delay, DelayMost time.Duration

	// LinkDown is n for: every n-th QP of a context that is connected has a link that is down. Its requests end with
	// RETRY_EXC_ERR after their retries. Key linkdown.
	LinkDown int

	// RNR is n for: the peer of every n-th message of a QP that takes a receive is not ready at first
	// (RNR NAK). With rnr_retry 0 the request ends with RNR_RETRY_EXC_ERR. Key rnr.
	RNR int

	// Loss is n for: every n-th UD message of a QP is lost. Key loss.
	Loss int
}

// Device returns the embedded device of the name, listed or not, with options. Its name
// tells them. Errors wrap [verbs.ErrNoDevice] if there is no such device.
func Device(name string, o Options) (verbs.Device, error) {
	d, err := backend{}.Lookup(name + o.String())
	if d == nil && err == nil {
		err = fmt.Errorf("device %q: %w among the embedded ones", name, verbs.ErrNoDevice)
	}
	return d, err
}

// String returns the options as they follow a device's name.
func (o Options) String() (s string) {
	if o.Delay != 0 || o.DelayMost != 0 {
		s += ":delay=" + o.Delay.String()
		if o.DelayMost != 0 {
			s += "-" + o.DelayMost.String()
		}
		s = strings.ReplaceAll(s, "µ", "u")
	}
	for _, key := range []string{"linkdown", "rnr", "loss"} {
		if n := *o.every(key); n != 0 {
			s += fmt.Sprintf(":%s=%d", key, n)
		}
	}
	if o.Seed != 0 {
		s += fmt.Sprintf(":seed=%d", o.Seed)
	}
	return s
}

// every returns the option of the key that is n for "every n-th", nil for another key.
func (o *Options) every(key string) *int {
	return map[string]*int{"linkdown": &o.LinkDown, "rnr": &o.RNR, "loss": &o.Loss}[key]
}

// configure sets what the parameters of a name say, "seed=7" for example.
func (d *device) configure(parameters []string) error {
	set := map[string]string{}
	for _, p := range parameters {
		key, value, _ := strings.Cut(p, "=")
		err := d.options.set(key, value)
		if before, again := set[key]; again && err == nil {
			err = fmt.Errorf("%s: it was set to %s before", p, before)
		}
		if err != nil {
			return fmt.Errorf("device %s: %w", d.name, err)
		}
		set[key] = value
	}
	if d.options.Seed != 0 && d.place == ascending && d.options.DelayMost == 0 {
		return fmt.Errorf("device %s: seed=%s: it stores data in ascending order, so that there is nothing to seed", d.name, set["seed"])
	}
	return nil
}

func (o *Options) set(key, value string) (err error) {
	switch n := o.every(key); {
	case n != nil:
		if *n, err = strconv.Atoi(value); err != nil || *n < 1 {
			return fmt.Errorf("%s=%s: it is a number from 1 on: every n-th", key, value)
		}
	case key == "seed":
		if o.Seed, err = strconv.ParseUint(value, 10, 64); err != nil || o.Seed == 0 {
			return fmt.Errorf("seed=%s: it is a number from 1 to 2^64-1", value)
		}
	case key == "delay":
		return o.setDelay(value)
	default:
		return fmt.Errorf("unknown parameter %q; there is seed=N, delay=TIME, delay=LEAST-MOST, linkdown=N, rnr=N and loss=N", key)
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
		return fmt.Errorf("delay=%s: it is a time as 20us, or two as 5us-50us, up to %v", value, longestDelay)
	}
	if !both {
		o.DelayMost = 0
	}
	return nil
}

// randomSeed is the seed of this process's devices that were given none. It is short, to
// be typed.
var randomSeed = sync.OnceValue(func() uint64 { return 1 + rand.Uint64N(1e9) })

func (d *device) seedInUse() uint64 {
	return cmp.Or(d.options.Seed, randomSeed())
}

// shuffler returns what the orders of a QP's requests follow from.
func (d *device) shuffler(qpNum uint32) place.Shuffler {
	return place.NewShuffler(d.seedInUse()).Of(uint64(qpNum))
}
