package host

import (
	"runtime"
	"testing"
	"testing/fstest"
)

func TestFirstCPU(t *testing.T) {
	for text, want := range map[string]string{
		"processor\t: 0\ncpu family\t: 25\nmodel\t\t: 17\nmodel name\t: AMD EPYC\n\nmodel\t: 18\nmodel name\t: other\n": "AMD EPYC (family 25, model 17)",
		"model name\t: QEMU\n":                                      "QEMU",
		"processor\t: 0\n\nModel\t\t: Raspberry Pi 4 Model B\n":     "Raspberry Pi 4 Model B",
		"processor\t: 0\ncpu\t\t: POWER9, altivec supported\n":      "POWER9, altivec supported",
		"system type\t: board\ncpu model\t\t: MIPS 24Kc V5.0\n\n\n": "MIPS 24Kc V5.0",
		"processor\t: 0\n":                                          runtime.GOARCH,
	} {
		if got := FirstCPU(fstest.MapFS{"proc/cpuinfo": {Data: []byte(text)}}).String(); got != want {
			t.Errorf("%q is %q, want %q", text, got, want)
		}
	}
	if got := FirstCPU(fstest.MapFS{}); got != (CPU{Name: runtime.GOARCH}) {
		t.Errorf("without /proc/cpuinfo the CPU is %+v", got)
	}
}
