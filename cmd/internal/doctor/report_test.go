package doctor_test

import (
	"bytes"
	"testing"

	"github.com/ibperf/ibperf/cmd/internal/doctor"
	"github.com/ibperf/ibperf/internal/golden"
	"github.com/ibperf/ibperf/result"
)

// The text about each host of testdata; go test -update rewrites the files.
func TestWriteText(t *testing.T) {
	for name, device := range opened {
		side := inspect(t, name, "")
		bare := side
		bare.Device = result.Device{}
		var out bytes.Buffer
		if err := doctor.WriteText(&out, []doctor.Diagnosis{doctor.Host(bare), doctor.Device(side)}); err != nil {
			t.Fatal(device.Name, err)
		}
		golden.Check(t, name+".golden", out.Bytes())
	}
}
