package text

import (
	"testing"

	"github.com/ibperf/ibperf/option"
)

// TestAddresses has the lines of perftest's BASIC_ADDR_FMT, READ_FMT, RDMA_FMT, XRC_FMT and PERF_GID_FMT.
func TestAddresses(t *testing.T) {
	gid := [16]byte{10: 255, 255, 192, 168, 1, 2}
	local := Address{QPN: 0x11, PSN: 0x3f5a1b, Reads: 16, RKey: 0x186a, VAddr: 0x7f0012345000, GID: gid}
	remote := Address{Remote: true, LID: 3, QPN: 0x123456, PSN: 1, SRQ: 9}
	const decimal = "\n GID: 00:00:00:00:00:00:00:00:00:00:255:255:192:168:01:02\n"
	for op, want := range map[option.Op]string{
		option.OpSend: " local address: LID 0000 QPN 0x0011 PSN 0x3f5a1b" + decimal + " remote address: LID 0x03 QPN 0x123456 PSN 0x0001 SRQn 0x000009\n",
		option.OpWrite: " local address: LID 0000 QPN 0x0011 PSN 0x3f5a1b RKey 0x00186a VAddr 0x007f0012345000" + decimal +
			" remote address: LID 0x03 QPN 0x123456 PSN 0x0001 RKey 00000000 VAddr 0000000000000000 SRQn 0x000009\n",
		option.OpRead: " local address: LID 0000 QPN 0x0011 PSN 0x3f5a1b OUT 0x10 RKey 0x00186a VAddr 0x007f0012345000" + decimal +
			" remote address: LID 0x03 QPN 0x123456 PSN 0x0001 OUT 0000 RKey 00000000 VAddr 0000000000000000 SRQn 0x000009\n",
	} {
		if got := addressBlock(op, []Address{local, remote}); got != want+rule {
			t.Errorf("%s:\n%s", op, got)
		}
	}
	if got := addressBlock(option.OpSend, nil); got != "" {
		t.Errorf("no QPs: %q", got)
	}
}
