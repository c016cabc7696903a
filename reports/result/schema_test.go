package result_test

import (
	"bytes"
	"encoding/json"
	"testing"

	"github.com/ibperf/ibperf/internal/golden"
	"github.com/ibperf/ibperf/option"
	"github.com/ibperf/ibperf/reports/internal/synthetic"
	"github.com/ibperf/ibperf/reports/result"
	"github.com/santhosh-tekuri/jsonschema/v6"
)

// The schema in docs is that of this release; go test -update renews it.
func TestSchemaInDocs(t *testing.T) {
	golden.Check(t, "../../../docs/result.schema.json", result.Schema(false))
}

func compiled(t *testing.T) *jsonschema.Schema {
	t.Helper()
	text, err := jsonschema.UnmarshalJSON(bytes.NewReader(result.Schema(true)))
	if err != nil {
		t.Fatal(err)
	}
	c := jsonschema.NewCompiler()
	if err := c.AddResource("result", text); err != nil {
		t.Fatal(err)
	}
	schema, err := c.Compile("result")
	if err != nil {
		t.Fatal(err)
	}
	return schema
}

// check holds a document to the strict schema.
func check(t *testing.T, s *jsonschema.Schema, document any) error {
	t.Helper()
	data, err := json.Marshal(document)
	if err != nil {
		t.Fatal(err)
	}
	value, err := jsonschema.UnmarshalJSON(bytes.NewReader(data))
	if err != nil {
		t.Fatal(err)
	}
	return s.Validate(value)
}

func TestFilesHoldToTheSchema(t *testing.T) {
	s := compiled(t)
	for _, test := range option.Tests() {
		f := synthetic.File(t, string(test.Op), test.Kind, []int{2, 64}, "data", "poll")
		if f.Warnings == nil {
			f.Warnings = []result.Warning{}
		}
		if err := check(t, s, f); err != nil {
			t.Errorf("%s: %v", test.Program(), err)
		}
		if l := f.Rows[0].Latency; l != nil {
			l.MeanOnly = true
			if err := check(t, s, f); err != nil {
				t.Errorf("%s, a mean only: %v", test.Program(), err)
			}
		}
	}
}

// What is missing, misspelled or of another type is found.
func TestTheSchemaFindsMistakes(t *testing.T) {
	s := compiled(t)
	for name, spoil := range map[string]func(map[string]any){
		"no rows":         func(f map[string]any) { delete(f, "rows") },
		"another version": func(f map[string]any) { f["version"] = 2 },
		"another mode":    func(f map[string]any) { f["rows"].([]any)[0].(map[string]any)["mode"] = "spin" },
		"a new member":    func(f map[string]any) { f["later"] = 1 },
		"a text":          func(f map[string]any) { f["parameters"].(map[string]any)["qps"] = "1" },
	} {
		data, err := synthetic.File(t, "write", result.KindLatency, []int{2}, "poll").Encode()
		if err != nil {
			t.Fatal(err)
		}
		var f map[string]any
		if err := json.Unmarshal(data, &f); err != nil {
			t.Fatal(err)
		}
		spoil(f)
		if check(t, s, f) == nil {
			t.Errorf("%s: the schema holds", name)
		}
	}
}
