package main

import (
	"testing"
	"testing/fstest"
)

func TestAllCPUsAreCounted(t *testing.T) {
	root := fstest.MapFS{
		"sys/devices/system/cpu/cpu0/online": {}, "sys/devices/system/cpu/cpu1/online": {},
		"sys/devices/system/cpu/cpu12/online": {}, "sys/devices/system/cpu/cpufreq/boost": {},
	}
	if m := thisMachine(root, []int{1}); m.CPUs != 3 || len(m.Pinned) != 1 {
		t.Errorf("machine is %+v", m)
	}
}
