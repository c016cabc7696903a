package caps

import (
	"encoding/json"
	"errors"
	"runtime"
	"strings"
	"syscall"
	"testing"

	"github.com/ibperf/ibperf/verbs"
	_ "github.com/ibperf/ibperf/verbs/shm"
)

func embedded(t *testing.T, name string) verbs.Device {
	t.Helper()
	d, err := verbs.Lookup(name)
	if err != nil {
		t.Fatal(err)
	}
	return d
}

func TestCollectAsksTheEmbeddedDevices(t *testing.T) {
	for name, want := range map[string]verbs.Order{
		"shm_whole": verbs.OrderWhole, "shm_block128": verbs.OrderBlocks,
		"shm_unordered": verbs.OrderNone, "shm_liar": verbs.OrderWhole,
	} {
		if runtime.GOARCH != "amd64" {
			want = verbs.OrderNone
		}
		r, err := Collect([]verbs.Device{embedded(t, name)}, "1.0")
		if err != nil {
			t.Fatal(err)
		}
		d := r.Devices[0]
		if d.Name != name || d.Software == "" || len(d.Ports) != 1 || len(d.Ports[0].GIDs) == 0 {
			t.Errorf("%s: %+v", name, d)
		}
		for i, op := range []string{"SEND", "RDMA_WRITE", "RDMA_READ"} {
			o := d.Order[i]
			if o.Transport != "RC" || o.Operation != op || o.Answer != want.String() || !strings.Contains(o.Query, op) || o.Error != "" {
				t.Errorf("%s %s: %+v, want %q", name, op, o, want)
			}
		}
	}
}

func TestTextAndJSONHaveTheSameContent(t *testing.T) {
	r, err := Collect([]verbs.Device{embedded(t, "shm_whole"), embedded(t, "shm_unordered")}, "1.0")
	if err != nil {
		t.Fatal(err)
	}
	var text strings.Builder
	if err := r.WriteText(&text); err != nil {
		t.Fatal(err)
	}
	data, err := json.Marshal(r)
	if err != nil {
		t.Fatal(err)
	}
	var doc struct {
		Format  string
		Devices []struct {
			Name, Software string
			Attributes     map[string]map[string]any
			Ports          []struct{ Attributes map[string]any }
			Order          []Order `json:"data_in_order"`
		}
	}
	if err := json.Unmarshal(data, &doc); err != nil {
		t.Fatal(err)
	}
	if doc.Format != FormatName || len(doc.Devices) != 2 || doc.Devices[1].Order[0].Answer != "not promised" {
		t.Errorf("JSON: %s", data)
	}
	for _, d := range doc.Devices {
		if !strings.Contains(text.String(), "device "+d.Name) || !strings.Contains(text.String(), d.Software) {
			t.Errorf("text lacks %s", d.Name)
		}
		groups := d.Attributes
		groups["port"] = d.Ports[0].Attributes
		for group, members := range groups {
			for name := range members {
				if !strings.Contains(text.String(), "    "+name+":") {
					t.Errorf("text lacks %s of %s", name, group)
				}
			}
		}
	}
	if got := doc.Devices[0].Attributes["reads_and_atomics"]["max_qp_rd_atom"]; got != 128.0 {
		t.Errorf("max_qp_rd_atom is %v", got)
	}
}

// brokenDevice cannot be opened; downContext has a port that is down.
type brokenDevice struct{ verbs.Device }

func (brokenDevice) Name() string     { return "broken0" }
func (brokenDevice) Backend() string  { return "ibv" }
func (brokenDevice) Software() string { return "" }
func (brokenDevice) Open() (verbs.Context, error) {
	return nil, &verbs.OpError{Verb: "open_device", Object: "broken0", Errno: syscall.EACCES}
}

type downDevice struct{ brokenDevice }

func (downDevice) Open() (verbs.Context, error) { return downContext{}, nil }

type downContext struct{ verbs.Context }

func (downContext) Close() error { return nil }
func (downContext) QueryDevice() (verbs.DeviceAttr, error) {
	return verbs.DeviceAttr{PhysPortCount: 1, NodeGUID: 0x0002c90300123456}, nil
}
func (downContext) QueryPort(int) (verbs.PortAttr, error) {
	return verbs.PortAttr{State: verbs.PortDown, GIDTableLen: 2}, nil
}
func (downContext) QueryGID(int, int) (verbs.GIDEntry, error) {
	return verbs.GIDEntry{}, syscall.ENODATA
}

func TestCollectGoesOnAfterADeviceThatCannotBeOpened(t *testing.T) {
	r, err := Collect([]verbs.Device{brokenDevice{}, embedded(t, "shm_whole")}, "1.0")
	if !errors.Is(err, syscall.EACCES) || len(r.Devices) != 2 || r.Devices[0].Error == "" || r.Devices[1].Error != "" {
		t.Errorf("report %+v, %v", r, err)
	}
	var text strings.Builder
	if err := r.WriteText(&text); err != nil || !strings.Contains(text.String(), "error: device broken0: open") {
		t.Errorf("text: %s, %v", text.String(), err)
	}
}

func TestADeviceWhosePortIsDownIsNotAsked(t *testing.T) {
	r, err := Collect([]verbs.Device{downDevice{}}, "1.0")
	if err != nil {
		t.Fatal(err)
	}
	d := r.Devices[0]
	if len(d.Ports[0].GIDs) != 0 || d.Order[0].Answer != NotAsked || !strings.Contains(d.Order[0].Error, "no port is active") {
		t.Errorf("device %+v", d)
	}
	var text strings.Builder
	if err := r.WriteText(&text); err != nil || !strings.Contains(text.String(), "0002:c903:0012:3456") {
		t.Errorf("text: %s, %v", text.String(), err)
	}
}
