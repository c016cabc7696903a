package plots

import (
	"strings"
	"testing"

	"github.com/ibperf/ibperf/internal/testresult"
)

// Plots are of one transport each, which they name, with what was lost over it and why there is
// no mode data.
func TestPlotsOfTransports(t *testing.T) {
	const (
		micro = "latency [usec], lower is better"
		giga  = "average bandwidth [Gb/s], higher is better"
		lost  = "up to 2 % of the messages were lost"
	)
	all := map[string]string{}
	for name, svg := range drawings(t, testresult.Transports(t)...) {
		_, texts := elements(t, svg)
		var lines []string
		for _, text := range texts {
			lines = append(lines, text.Text)
		}
		all[name] = strings.Join(lines, "\n")
	}
	for name, want := range map[string][]string{
		"write_lat_by_size_shm_whole_UC":        {"RDMA_Write Latency: ", "shm_whole, UC, ", micro, lost},
		"send_bw_by_size_shm_whole_UC":          {"Send BW: ", "shm_whole, UC, SEND, ", giga, lost, "over UC a SEND may be lost"},
		"send_lat_by_size_shm_whole_UD":         {"Send Latency: ", "shm_whole, UD, SEND, ", micro, lost, "over UD a SEND may be lost"},
		"send_lat_ratio_shm_whole_UD":           {"ratio to poll", "shm_whole, UD, ", lost},
		"send_lat_by_size_shm_whole_XRC":        {"shm_whole, XRC, SEND, ", micro, "take receives of a shared receive queue"},
		"send_bw_by_size_shm_whole_RC_with_SRQ": {"shm_whole, RC with SRQ, SEND, ", giga, "take receives of a shared receive queue"},
		"atomic_lat_by_mode_8_shm_whole_RC":     {"Atomic Latency: ", "RC, ATOMIC_FETCH_AND_ADD, ", "latency [usec], lower is better", "an atomic operation returns the peer's value"},
		"atomic_bw_by_mode_8_shm_whole_XRC":     {"Atomic BW: ", "XRC, ATOMIC_FETCH_AND_ADD, ", giga},
	} {
		text, drawn := all[name]
		if !drawn {
			t.Errorf("there is no plot %s", name)
		}
		for _, part := range want {
			if !strings.Contains(text, part) {
				t.Errorf("%s does not say %q:\n%s", name, part, text)
			}
		}
		if lossy := strings.HasSuffix(name, "UC") || strings.HasSuffix(name, "UD"); lossy != strings.Contains(text, "were lost") || strings.Contains(text, `answers ""`) {
			t.Errorf("%s:\n%s", name, text)
		}
	}
}
