package text

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/ibperf/ibperf/internal/testresult"
	"github.com/ibperf/ibperf/option"
	"github.com/ibperf/ibperf/result"
)

// FuzzParse checks that every file that Parse accepts can be printed.
func FuzzParse(f *testing.F) {
	for _, kind := range []option.Kind{option.KindLatency, option.KindBandwidth} {
		file := testresult.File(f, "write", kind, []int{2, 4096}, "data", "poll")
		file.Rows[0].Verify = &result.Verify{Messages: 10, Torn: 1, First: "byte 7"}
		data, err := json.Marshal(file)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(data)
	}
	f.Add([]byte(`{"format":"ibperf-result","version":1,"kind":"lat","op":"x","rows":[{"mode":"poll","latency":{"n":0}}]}`))
	f.Add([]byte(`{"format":"ibperf-result","version":1,"kind":"bw","op":"x","rows":[{"mode":"poll","bandwidth":{"average_bytes_per_s":1e308}}]}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		file, err := result.Parse(data)
		if err != nil {
			return
		}
		var b strings.Builder
		if err := Write(&b, []*result.File{file, file}, Style{Gbits: true, Width: 50}, Full); err != nil {
			t.Fatal(err)
		}
		for _, bad := range []string{"NaN", "+Inf", "-Inf"} {
			if strings.Contains(b.String(), bad) && !strings.Contains(string(data), bad) {
				t.Errorf("tables contain %s", bad)
			}
		}
	})
}
