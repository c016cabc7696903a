package machine

import (
	"runtime"
	"testing"
	"testing/fstest"

	"github.com/ibperf/ibperf/result"
	_ "github.com/ibperf/ibperf/verbs/shm" // a backend with a version
)

func files(content map[string]string) fstest.MapFS {
	m := fstest.MapFS{}
	for name, text := range content {
		m[name] = &fstest.MapFile{Data: []byte(text)}
	}
	return m
}

func TestEnvironment(t *testing.T) {
	s := Side(files(map[string]string{
		"proc/cpuinfo": "processor\t: 0\nmodel name\t: Example CPU @ 2.50GHz\n",
		"sys/devices/system/cpu/cpu0/cpufreq/scaling_governor": "powersave\n",
		"sys/devices/system/cpu/cpu1/cpufreq/scaling_governor": "performance\n",
		"sys/devices/system/cpu/cpufreq/scaling_governor":      "no CPU\n",
	}))
	if s.CPU != "Example CPU @ 2.50GHz" || s.Governor != "performance,powersave" || s.CPUs < 1 || s.Host == "" || s.Kernel == "unknown" {
		t.Errorf("environment: %+v", s)
	}
	if s.Libraries["go"] != runtime.Version() || s.Libraries["shm"] == "" {
		t.Errorf("libraries: %v", s.Libraries)
	}
}

func TestEnvironmentWithoutFiles(t *testing.T) {
	if s := Side(files(nil)); s.CPU != runtime.GOARCH || s.Governor != "" {
		t.Errorf("environment: %+v", s)
	}
}

func TestFrequencyWarning(t *testing.T) {
	for governor, want := range map[string]bool{"": false, "performance": false, "powersave": true, "performance,powersave": true} {
		w, got := FrequencyWarning(&result.Side{Governor: governor})
		if got != want || got && (w.ID == "" || w.Text == "") {
			t.Errorf("governor %q: %v, %v", governor, w, got)
		}
	}
}
