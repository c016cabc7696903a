package result

import (
	"errors"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/ibperf/ibperf/option"
)

// Encode refuses files that Parse would refuse.
func TestWhatCannotBeReadIsNotWritten(t *testing.T) {
	for name, spoil := range map[string]func(*Row){
		"seconds":   func(r *Row) { r.Bandwidth.Seconds = -1 },
		"a rate":    func(r *Row) { r.Bandwidth.MsgRate = math.Inf(1) },
		"a round":   func(r *Row) { r.Rounds = []Round{{Average: 1e300}} },
		"a mode":    func(r *Row) { r.Mode = "" },
		"bandwidth": func(r *Row) { r.Bandwidth = nil },
	} {
		f := &File{Header: FileHeader(), Op: "write", Kind: option.KindBandwidth,
			Rows: []Row{{Size: 8, Mode: "poll", Bandwidth: &Bandwidth{Messages: 1, Seconds: 1}}}}
		path := filepath.Join(t.TempDir(), "bw.json")
		spoil(&f.Rows[0])
		if err := f.Write(path); err == nil || !strings.Contains(err.Error(), "encode result") {
			t.Errorf("%s: %v", name, err)
		}
		if _, err := os.Stat(path); !errors.Is(err, fs.ErrNotExist) {
			t.Errorf("%s: the file is there: %v", name, err)
		}
	}
}
