package comparison

import (
	"runtime"
	"testing"
	"testing/fstest"
)

func TestAllCPUsAreCounted(t *testing.T) {
	root := fstest.MapFS{
		"sys/devices/system/cpu/cpu0/online": {}, "sys/devices/system/cpu/cpu1/online": {},
		"sys/devices/system/cpu/cpu12/online": {}, "sys/devices/system/cpu/cpufreq/boost": {},
	}
	if m := ThisMachine(root, []int{1}); m.CPUs != 3 || len(m.Pinned) != 1 {
		t.Errorf("machine is %+v", m)
	}
}

func TestCPUIsNamed(t *testing.T) {
	for text, want := range map[string]string{
		"processor\t: 0\ncpu family\t: 25\nmodel\t\t: 17\nmodel name\t: AMD EPYC\n\nmodel\t: 18\n": "AMD EPYC (family 25, model 17)",
		"model name\t: QEMU\n": "QEMU",
		"processor\t: 0\n":     runtime.GOARCH,
	} {
		if got := cpuModel(fstest.MapFS{"proc/cpuinfo": {Data: []byte(text)}}); got != want {
			t.Errorf("%q is named %q, want %q", text, got, want)
		}
	}
}
