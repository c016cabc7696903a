package conform

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/ibperf/ibperf/verbs/verbstest"
)

// The PCI function of a subfunction is above its device.
func TestPCIAddress(t *testing.T) {
	root := t.TempDir()
	if err := os.MkdirAll(filepath.Join(root, "pci0000:3a/0000:3b:00.0/mlx5_core.sf.4"), 0o777); err != nil {
		t.Fatal(err)
	}
	for name, c := range map[string]struct{ device, want string }{
		"card":        {"pci0000:3a/0000:3b:00.0", "0000:3b:00.0"},
		"subfunction": {"pci0000:3a/0000:3b:00.0/mlx5_core.sf.4", "0000:3b:00.0"},
		"platform":    {"pci0000:3a", ""},
	} {
		path := filepath.Join(root, name)
		if err := os.Mkdir(path, 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.Symlink(filepath.Join(root, c.device), filepath.Join(path, "device")); err != nil {
			t.Fatal(err)
		}
		if got := pciAddress(path); got != c.want {
			t.Errorf("%s: %q, want %q", name, got, c.want)
		}
	}
	if got := pciAddress(""); got != "" {
		t.Errorf("without sysfs: %q", got)
	}
}

// Quirks that do not apply, and those that the device did not show, are listed with the reason.
func TestUnmatchedQuirks(t *testing.T) {
	target := verbstest.Target{
		Quirks: []verbstest.Quirk{
			{ID: "shown", Fails: []string{"CQ-1"}}, {ID: "hidden", Statements: []string{"CQ-2", "CQ-3"}}, {ID: "notrun", Fails: []string{"CQ-4"}},
		},
		Unmatched: []verbstest.Unmatched{{Quirk: verbstest.Quirk{ID: "other"}, Why: "driver is a, not b"}},
	}
	r := Report{Statements: []Statement{{ID: "CQ-1", Quirks: []string{"shown"}}, {ID: "CQ-2"}}}
	r.Conclude(target)
	want := "quirk other matched nothing: driver is a, not b\nquirk hidden matched nothing: the device did not show it in CQ-2, CQ-3\n"
	if text := r.Tail(); !strings.HasSuffix(text, want) {
		t.Errorf("%s\nwant at its end\n%s", text, want)
	}
}
