package main

import (
	"os/exec"
	"testing"
)

func TestHighWaterIsFound(t *testing.T) {
	for text, want := range map[string]float64{
		"Name:\tx\nVmPeak:\t  9000 kB\nVmHWM:\t    5124 kB\nVmRSS:\t  5000 kB\n": 5124 * 1024,
		"Name:\tx\nState:\tZ (zombie)\n":                                         0, "": 0,
	} {
		if got := highWater([]byte(text)); got != want {
			t.Errorf("%q: %v, want %v", text, got, want)
		}
	}
}

// sleep is smaller than any process of Go, which this one is.
func TestPeakIsThatOfTheProcessAlone(t *testing.T) {
	cmd := exec.Command("sleep", "1000")
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	ending := make(chan struct{})
	close(ending) // one reading
	got := peakMemory(cmd.Process.Pid, ending)
	_, _ = cmd.Process.Kill(), cmd.Wait()
	if got <= 0 || got > 8*mib {
		t.Errorf("sleep takes %v bytes", got)
	}
}
