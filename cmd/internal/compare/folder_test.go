package compare

import (
	"os"
	"strings"
	"testing"

	"github.com/ibperf/ibperf/internal/testresult"
	"github.com/ibperf/ibperf/option"
	"github.com/ibperf/ibperf/result"
)

// If a result file can't be written at the end, the error says why, once, and where the others are.
func TestConcludeNamesTheFileThatFails(t *testing.T) {
	base := option.Plan{Sizes: []int{8}, Transport: option.RC}
	f, err := Make(t.TempDir(), "", Parts(&base))
	if err != nil {
		t.Fatal(err)
	}
	for _, kind := range []option.Kind{option.KindLatency, option.KindBandwidth} {
		f.taken["write-"+string(kind)] = testresult.File(t, option.OpWrite, kind, []int{8}, result.ModeOrder...)
	}
	path, err := f.path("write-lat.json")
	if err == nil {
		err = os.MkdirAll(path+"/full", 0o755) // which no file replaces
	}
	if err != nil {
		t.Fatal(err)
	}
	_, err = f.Conclude(nil, 80, false)
	if err == nil || strings.Count(err.Error(), path) != 1 || !strings.Contains(err.Error(), "is a directory") ||
		!strings.Contains(err.Error(), "the results of 1 tests are in ") {
		t.Errorf("%v", err)
	}
}
