package setup

import (
	"errors"
	"slices"
	"testing"

	"github.com/ibperf/ibperf/harness/internal/testcase"
	"github.com/ibperf/ibperf/option"
	"github.com/ibperf/ibperf/verbs"
)

// On InfiniBand the type of service is the subnet manager's QoS class, not the traffic class.
func TestTrafficClassIsATypeOfServiceOnlyOnEthernet(t *testing.T) {
	for _, c := range []struct {
		link              verbs.LinkLayer
		tos, tclass, want int
	}{
		{verbs.LinkEthernet, verbs.CMDefaultTOS, 0, verbs.CMDefaultTOS},
		{verbs.LinkEthernet, verbs.CMDefaultTOS, 96, 96},
		{verbs.LinkEthernet, 0, 96, 0},
		{verbs.LinkInfiniBand, verbs.CMDefaultTOS, 96, verbs.CMDefaultTOS},
		{verbs.LinkInfiniBand, 32, 96, 32},
	} {
		r := Resources{Set: &testcase.Set{Plan: option.Plan{TOS: c.tos, TClass: c.tclass}}, Port: verbs.PortAttr{LinkLayer: c.link}}
		if got := r.typeOfService(); got != c.want {
			t.Errorf("%+v: %d", c, got)
		}
	}
}

// A path without a GRH has neither a GID index nor a traffic class.
func TestPathWithoutAGRH(t *testing.T) {
	r := Resources{cfg: &Config{GIDIndex: 3}, Set: &testcase.Set{Plan: option.Plan{SL: 1, TClass: 96}}}
	want := []string{
		"rdma_cm chose a path without a GID index, and not that of --gid-index 3",
		"rdma_cm chose a path without a traffic class, and not that of --tclass 96",
	}
	if got := r.differences(&verbs.AHAttr{SL: 1}); !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
}

// A device without rdma_cm is a mismatch, which each side finds by itself.
func TestMissingRDMACMIsAMismatch(t *testing.T) {
	r := &Resources{cfg: &Config{Context: openDevice(t)}}
	if err := r.connectCM(nil, nil); !IsMismatch(err) || !errors.As(err, new(*DeviceError)) {
		t.Errorf("got %v, want a mismatch", err)
	}
}

// openDevice returns an embedded device, which is closed when the test ends.
func openDevice(t *testing.T) verbs.Context {
	t.Helper()
	d, err := verbs.Lookup("shm_whole")
	if err != nil {
		t.Fatal(err)
	}
	c, err := d.Open()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { c.Close() })
	return c
}
