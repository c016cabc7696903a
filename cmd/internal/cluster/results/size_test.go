package results

import (
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/ibperf/ibperf/cmd/internal/cluster/schedule"
)

// TestFilesOfAllPairsAreSmall: what 1,024 nodes of which all pairs are tested leave is less than 500 MB, here of some
// rounds.
func TestFilesOfAllPairsAreSmall(t *testing.T) {
	const (
		nodes, rounds = 1024, 4
		limit         = 500 << 20
	)
	dir := t.TempDir()
	settings := Settings{Ranks: nodes, Rails: 1, Slow: 0.1}
	journal, err := Open(dir, Head{Settings: settings}, false)
	if err != nil {
		t.Fatal(err)
	}
	defer journal.Close()
	random := rand.New(rand.NewPCG(1, 2))
	d := &Document{Settings: settings, Started: time.Now().UTC(), Finished: time.Now().UTC(), Nodes: make([]Node, nodes)}
	for i := range d.Nodes {
		d.Nodes[i] = Node{Rank: i, Name: fmt.Sprintf("rack17-node%04d.cluster.example.org", i), Device: "mlx5_0"}
	}
	sampler, judge := schedule.NewSampler(nodes, random), NewJudge(&settings)
	for round := 1; round <= rounds; round++ {
		var tests []Test
		for _, p := range sampler.Full() {
			test := Test{Round: round, A: p[0], B: p[1], Time: time.Now().UTC(), Seconds: random.Float64(), Bandwidth: 1e10 * random.Float64(), MedianNs: 1e4 * random.Float64(), P99Ns: 1e4 * random.Float64()}
			if err := journal.Append(test); err != nil {
				t.Fatal(err)
			}
			tests = append(tests, test)
		}
		judge.Add(tests...)
	}
	judge.Conclude(d)
	empty := *d
	empty.Tests = nil
	fixed := fileSize(t, &empty, dir)
	perRound := (fileSize(t, d, dir) - fixed + fileSize(t, nil, filepath.Join(dir, JournalName))) / rounds
	if total := fixed + perRound*int64(schedule.Rounds(nodes)); total > limit {
		t.Errorf("all pairs of %d nodes leave %d MB", nodes, total>>20)
	} else {
		t.Logf("all pairs of %d nodes leave %d MB", nodes, total>>20)
	}
}

// fileSize returns the size of a file, or of a document that it writes into a folder.
func fileSize(t *testing.T, d *Document, path string) int64 {
	t.Helper()
	if d != nil {
		if err := d.Write(path); err != nil {
			t.Fatal(err)
		}
		path = filepath.Join(path, FileName)
	}
	info, err := os.Stat(path)
	if err != nil {
		t.Fatal(err)
	}
	return info.Size()
}
