package shm

import (
	"fmt"
	"math/rand/v2"
	"strconv"
	"strings"
	"sync"

	"github.com/ibperf/ibperf/internal/place"
	"github.com/ibperf/ibperf/verbs"
)

// Options are the parameters of an embedded device. In a name that [verbs.Lookup] or -d
// takes they follow the device, each as :key=value, for example "shm_unordered:seed=7".
type Options struct {
	// Seed determines the order in which a device that shuffles stores data: with the
	// same seed, QPs that are made in the same order, and requests that are posted in the
	// same order on each of them, it is the same again. 0 takes a random seed, which is the
	// same for all devices of the process. Key seed, 1 to 2^64-1.
	Seed uint64
}

// Device returns the embedded device of the name, listed or not, with options. Its name
// tells them. Errors wrap [verbs.ErrNoDevice] if there is no such device.
func Device(name string, o Options) (verbs.Device, error) {
	if o.Seed != 0 {
		name = fmt.Sprintf("%s:seed=%d", name, o.Seed)
	}
	d, err := backend{}.Lookup(name)
	if d == nil && err == nil {
		err = fmt.Errorf("device %q: %w among the embedded ones", name, verbs.ErrNoDevice)
	}
	return d, err
}

// configure sets what the parameters of a name say, "seed=7" for example.
func (d *device) configure(parameters []string) error {
	for _, p := range parameters {
		key, value, _ := strings.Cut(p, "=")
		var err error
		switch key {
		case "seed":
			err = d.setSeed(value)
		default:
			err = fmt.Errorf("unknown parameter %q; there is seed=N", key)
		}
		if err != nil {
			return fmt.Errorf("device %s: %w", d.name, err)
		}
	}
	return nil
}

func (d *device) setSeed(value string) error {
	seed, err := strconv.ParseUint(value, 10, 64)
	switch {
	case err != nil || seed == 0:
		return fmt.Errorf("seed=%s: it is a number from 1 to 2^64-1", value)
	case d.place == ascending:
		return fmt.Errorf("seed=%s: it stores data in ascending order, so that there is nothing to seed", value)
	case d.seed != 0:
		return fmt.Errorf("seed=%s: it has been set to %d before", value, d.seed)
	}
	d.seed = seed
	return nil
}

// randomSeed is the seed of this process's devices that were given none. It is short, to
// be typed.
var randomSeed = sync.OnceValue(func() uint64 { return 1 + rand.Uint64N(1e9) })

// seedInUse returns the seed of a device that shuffles.
func (d *device) seedInUse() uint64 {
	if d.seed != 0 {
		return d.seed
	}
	return randomSeed()
}

// shuffler returns what the orders of a QP's requests follow from.
func (d *device) shuffler(qpNum uint32) place.Shuffler {
	return place.NewShuffler(d.seedInUse()).Of(uint64(qpNum))
}
