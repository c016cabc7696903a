package formats

import (
	"bytes"
	"encoding/json"
	"testing"

	"github.com/ibperf/ibperf/internal/testresult"
	"github.com/ibperf/ibperf/option"
	"github.com/ibperf/ibperf/reports/formats"
	"github.com/ibperf/ibperf/reports/verdict"
	"github.com/ibperf/ibperf/result"
	"github.com/santhosh-tekuri/jsonschema/v6"
)

// compiled returns a JSON schema.
func compiled(t *testing.T, text []byte) *jsonschema.Schema {
	t.Helper()
	document, err := jsonschema.UnmarshalJSON(bytes.NewReader(text))
	if err != nil {
		t.Fatal(err)
	}
	c := jsonschema.NewCompiler()
	if err := c.AddResource("schema", document); err != nil {
		t.Fatal(err)
	}
	schema, err := c.Compile("schema")
	if err != nil {
		t.Fatal(err)
	}
	return schema
}

// The parts of a report hold to the schemas of verdict.json and of result files.
func TestReportsHoldToTheSchemas(t *testing.T) {
	var files []*result.File
	for _, kind := range []option.Kind{option.KindLatency, option.KindBandwidth} {
		f := testresult.Comparison(t, "write", kind, []int{8, 64}, map[option.Mode][]float64{"data": {0.5, 0.5}, "event": {20, 20}})
		files = append(files, f)
	}
	report := func(files ...*result.File) (all struct {
		Verdict json.RawMessage
		Runs    []json.RawMessage
	}) {
		t.Helper()
		var b bytes.Buffer
		if err := formats.WriteReport(&b, files); err != nil {
			t.Fatal(err)
		}
		if err := json.Unmarshal(b.Bytes(), &all); err != nil {
			t.Fatal(err)
		}
		return all
	}
	got := report(files...)
	if err := validate(t, compiled(t, verdict.Schema(true)), got.Verdict); err != nil {
		t.Errorf("verdict: %v", err)
	}
	runs := compiled(t, result.Schema(false)) // it allows the ratios
	for i, run := range got.Runs {
		if err := validate(t, runs, run); err != nil {
			t.Errorf("run %d: %v", i, err)
		}
	}
	if len(got.Runs) != len(files) {
		t.Errorf("%d runs of %d", len(got.Runs), len(files))
	}
	if alone := report(testresult.File(t, "write", option.KindLatency, []int{8}, "poll")); alone.Verdict != nil {
		t.Errorf("a verdict on one mode: %s", alone.Verdict)
	}
}
