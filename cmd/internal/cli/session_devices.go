package cli

import (
	"os"

	"github.com/ibperf/ibperf/cmd/internal/doctor"
	"github.com/ibperf/ibperf/cmd/internal/machine"
	"github.com/ibperf/ibperf/harness"
	"github.com/ibperf/ibperf/result"
)

// counters returns the port counters that the options name. With several devices their names begin with the port's.
func (s *peerSession) counters() (all []harness.Counter, err error) {
	root := os.DirFS("/")
	for _, d := range s.devices {
		names, device := s.options.Own.Counters, d.Context.Device().Name()
		if s.allCounters {
			names = machine.CounterNames(root, device, d.Port)
		}
		counters, err := machine.PortCounters(root, device, d.Port, names)
		if err != nil {
			return nil, err
		}
		for _, c := range counters {
			if len(s.devices) > 1 {
				at := result.Device{Name: device, Port: d.Port}
				c.Name = at.PortName() + "/" + c.Name
			}
			all = append(all, c)
		}
	}
	return all, nil
}

// watchTuning reads the tuning of each device into its side, and returns a watch of each device's counters.
func (s *peerSession) watchTuning(side *result.Side) (all []*machine.Watch) {
	root := os.DirFS("/")
	for i, d := range s.devices {
		device := d.Context.Device().Name()
		tuning := machine.TuningOf(root, device, d.Port, s.options.Own.Vector)
		if i == 0 {
			side.Tuning = tuning
		} else {
			side.More = append(side.More, result.MoreDevice{Tuning: tuning})
		}
		all = append(all, machine.NewWatch(root, device, d.Port, doctor.Counters()))
	}
	return all
}
