package formats

import (
	"encoding/csv"
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"github.com/ibperf/ibperf/internal/testresult"
	"github.com/ibperf/ibperf/option"
	"github.com/ibperf/ibperf/result"
)

// changed returns a run in which every option differs from its default.
func changed(t *testing.T) *result.File {
	f := testresult.File(t, "send", option.KindLatency, []int{2}, "poll")
	plain := option.New(f.Parameters.Test)
	s := option.Settings{Plan: plain.Plan}
	for _, o := range option.AgreedOptions() {
		for _, argument := range []string{"true", "7", "2,9", "512", "1s", "3%", "UC", "mega", "write", "flag", "CMP_AND_SWAP", "event", "ff12::1", "50us", "1", "p", "no", "poisson"} {
			if o.Text(&s) == o.Text(&plain) {
				_ = o.Set(&s, argument)
			}
		}
		if o.Text(&s) == o.Text(&plain) {
			t.Errorf("no argument changes --%s", o.Name)
		}
	}
	f.Parameters.Plan = s.Plan
	return f
}

// inWords returns a member of parameters as CSV has it.
func inWords(t *testing.T, value json.RawMessage) string {
	var list []json.RawMessage
	if json.Unmarshal(value, &list) == nil {
		var words []string
		for _, item := range list {
			words = append(words, inWords(t, item))
		}
		return strings.Join(words, " ")
	}
	return strings.Trim(string(value), `"`)
}

// CSV and Go's benchmark format have every option of the table, as the result file has it.
func TestEveryOptionIsInEveryFormat(t *testing.T) {
	f := changed(t)
	data, err := json.Marshal(f.Parameters)
	if err != nil {
		t.Fatal(err)
	}
	var want map[string]json.RawMessage
	if err := json.Unmarshal(data, &want); err != nil {
		t.Fatal(err)
	}
	lines, err := csv.NewReader(strings.NewReader(inFormat(t, option.FormatCSV, f))).ReadAll()
	if err != nil || len(lines) != 2 {
		t.Fatalf("%d lines, %v", len(lines), err)
	}
	gobench := strings.Split(inFormat(t, option.FormatGobench, f), "\n")
	for _, o := range option.AgreedOptions() {
		text := inWords(t, want[o.JSON])
		if i := slices.Index(lines[0], "parameters."+o.JSON); i < 0 || lines[1][i] != text {
			t.Errorf("CSV: --%s is in column %d, want %q", o.Name, i, text)
		}
		if line := o.JSON + ": " + text; !slices.Contains(gobench, line) {
			t.Errorf("Go's benchmark format lacks the line %q", line)
		}
	}
}

// The unit of a number is in its name.
func TestNumbersHaveTheUnitOfTheirName(t *testing.T) {
	f := changed(t)
	f.Parameters.Gap = 5e3
	f.Release, f.Peer.Device.Name = "v1.2.3", "mlx5_7"
	text := inFormat(t, option.FormatGobench, f)
	for _, line := range []string{"latency_gap_ns: 5000", "release: v1.2.3", "host: node1", "peer_host: node2", "peer_device: mlx5_7"} {
		if !strings.Contains(text, "\n"+line+"\n") {
			t.Errorf("no line %q in\n%s", line, text)
		}
	}
}
