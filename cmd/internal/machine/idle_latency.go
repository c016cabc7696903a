package machine

import (
	"encoding/binary"
	"fmt"
	"os"

	"github.com/ibperf/ibperf/harness"
)

// HoldLatency limits the exit latency of the host's idle states by the device file at path, until release is
// called. It holds nothing if usec is negative.
func HoldLatency(path string, usec int) (release func(), err error) {
	if usec < 0 {
		return func() {}, nil
	}
	file, err := os.OpenFile(path, os.O_WRONLY, 0)
	if err == nil {
		if _, err = file.Write(binary.NativeEndian.AppendUint32(nil, uint32(usec))); err == nil {
			return func() { file.Close() }, nil
		}
		file.Close()
	}
	return nil, &harness.DeviceError{Err: fmt.Errorf("--cpu-dma-latency: %w; it takes root, or write access to this file", err)}
}
