package result

import (
	"fmt"
	"strings"
	"testing"
)

// One finding of each id and side is kept.
func TestAddFindings(t *testing.T) {
	all := AddFindings(nil, []Finding{{ID: "mtu", Side: SideLocal, Sentence: "a"}, {ID: "mtu", Side: SidePeer}})
	all = AddFindings(all, []Finding{{ID: "mtu", Side: SideLocal, Sentence: "b"}, {ID: "iommu", Side: SideLocal}})
	if got := fmt.Sprint(all); got != "[{mtu local a } {mtu peer  } {iommu local  }]" {
		t.Error(got)
	}
}

func TestIsPlain(t *testing.T) {
	for text, want := range map[string]bool{
		"": true, "0000:3b:00.0": true, "0-15,32-47": true, "/sys/devices/system/cpu/cpufreq/boost": true, "ens1f0np0": true,
		"a b": false, "$(reboot)": false, "a;b": false, "a\n": false, "`a`": false, "ü": false, strings.Repeat("a", 101): false,
	} {
		if got := IsPlain(text); got != want {
			t.Errorf("%q: %v", text, got)
		}
	}
}
