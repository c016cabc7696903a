package verify

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/ibperf/ibperf/result"
)

// A Side identifies the machine and the device of a side at a checkpoint.
type Side struct {
	Host      string            `json:"host"`
	CPU       string            `json:"cpu"`
	Kernel    string            `json:"kernel"`
	Libraries map[string]string `json:"libraries"`
	Device    string            `json:"device"`
	Software  string            `json:"software,omitempty"` // what replaces hardware; empty for a real device
	Firmware  string            `json:"firmware,omitempty"`
	GID       string            `json:"gid"`
	Promise   string            `json:"promise"` // the device's answer about data order for the operation
}

func sideOf(s *result.Side) Side {
	return Side{
		Host: s.Host, CPU: s.CPU, Kernel: s.Kernel, Libraries: s.Libraries,
		Device: s.Device.Name, Software: s.Device.Software, Firmware: s.Device.Firmware, GID: s.Device.GID, Promise: s.Order.Answer,
	}
}

// property is a property of a side, with its name in messages.
type property struct{ name, value string }

// fixed returns what must stay the same: messages that another device or another firmware moved are not added to the
// counts.
func (s *Side) fixed() []property {
	return []property{{"host", s.Host}, {"CPU", s.CPU}, {"device", s.Device}, {"firmware", s.Firmware}}
}

// noted returns what may change. A change is part of the journal and of the report. The GID of a software device is a
// new one each time that it is opened.
func (s *Side) noted() []property {
	var libraries []string
	for _, name := range slices.Sorted(maps.Keys(s.Libraries)) {
		libraries = append(libraries, name+" "+s.Libraries[name])
	}
	gid := s.GID
	if s.Software != "" {
		gid = ""
	}
	return []property{{"GID", gid}, {"kernel", s.Kernel}, {"libraries", strings.Join(libraries, ", ")}}
}

// A DifferentError is the error of a device, or of another fixed property, that is not that of the checkpoint before.
type DifferentError struct{ text string }

func (e *DifferentError) Error() string { return e.text }

// follow notes what has changed since the checkpoint before, or returns an error if that must not change.
func (c *Checkpoint) follow(before *Checkpoint) error {
	for _, side := range []struct {
		name     string
		was, now *Side
	}{{"client", &before.Client, &c.Client}, {"server", &before.Server, &c.Server}} {
		if d := differences(side.name, side.was.fixed(), side.now.fixed()); len(d) > 0 {
			return &DifferentError{strings.Join(d, "; ") + ": the counts of the journal are of the one before, so begin anew with another --dir"}
		}
		c.Changed = append(c.Changed, differences(side.name, side.was.noted(), side.now.noted())...)
	}
	return nil
}

// differences returns what differs between two lists of the same properties.
func differences(side string, was, now []property) (all []string) {
	for i := range was {
		if was[i] != now[i] {
			all = append(all, fmt.Sprintf("%s of the %s is %q and was %q", now[i].name, side, now[i].value, was[i].value))
		}
	}
	return all
}
