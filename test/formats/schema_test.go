package formats

import (
	"bytes"
	"encoding/json"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/ibperf/ibperf/internal/testresult"
	"github.com/ibperf/ibperf/option"
	"github.com/ibperf/ibperf/reports/verdict"
	"github.com/ibperf/ibperf/result"
	"github.com/santhosh-tekuri/jsonschema/v6"
)

// closedSchema returns the schema of result files that refuses unknown members.
func closedSchema(t *testing.T) *jsonschema.Schema {
	t.Helper()
	return compiled(t, result.Schema(true))
}

// validate checks a document against the schema.
func validate(t *testing.T, s *jsonschema.Schema, document any) error {
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
	s := closedSchema(t)
	for _, test := range option.Tests() {
		f := testresult.File(t, test.Op, test.Kind, []int{2, 64}, "data", "poll")
		if f.Warnings == nil {
			f.Warnings = []result.Warning{}
		}
		if err := validate(t, s, f); err != nil {
			t.Errorf("%s: %v", test.Program(), err)
		}
		if l := f.Rows[0].Latency; l != nil {
			l.MeanOnly = true
			if err := validate(t, s, f); err != nil {
				t.Errorf("%s, a mean only: %v", test.Program(), err)
			}
		}
	}
}

// The schema in docs is found by its $id, which ends in its path in the repository, and allows members that a
// later release adds.
func TestSchemaInDocsHasItsAddress(t *testing.T) {
	const path = "docs/result.schema.json"
	data, err := os.ReadFile(filepath.Join("..", "..", path))
	if err != nil {
		t.Fatal(err)
	}
	text, err := jsonschema.UnmarshalJSON(bytes.NewReader(data))
	if err != nil {
		t.Fatal(err)
	}
	id, _ := text.(map[string]any)["$id"].(string)
	if address, err := url.Parse(id); err != nil || !strings.HasPrefix(id, "https://") || !strings.HasSuffix(address.Path, "/"+path) {
		t.Fatalf("$id %q, %v", id, err)
	}
	c := jsonschema.NewCompiler()
	if err := c.AddResource(path, text); err != nil {
		t.Fatal(err)
	}
	schema, err := c.Compile(path)
	if err != nil {
		t.Fatal(err)
	}
	if schema.ID != id {
		t.Errorf("the schema's id is %q, its $id %q", schema.ID, id)
	}
	encoded, err := testresult.File(t, "write", option.KindLatency, []int{2}, "poll").Encode()
	if err != nil {
		t.Fatal(err)
	}
	var file map[string]any
	if err := json.Unmarshal(encoded, &file); err != nil {
		t.Fatal(err)
	}
	file["later"] = 1
	if err := validate(t, schema, file); err != nil {
		t.Errorf("a file of a later release: %v", err)
	}
}

// The schema refuses missing members, unknown members and values of another type.
func TestTheSchemaFindsMistakes(t *testing.T) {
	s := closedSchema(t)
	for name, spoil := range map[string]func(map[string]any){
		"no rows":         func(f map[string]any) { delete(f, "rows") },
		"another version": func(f map[string]any) { f["version"] = 2 },
		"another mode":    func(f map[string]any) { f["rows"].([]any)[0].(map[string]any)["mode"] = "spin" },
		"a new member":    func(f map[string]any) { f["later"] = 1 },
		"a text":          func(f map[string]any) { f["parameters"].(map[string]any)["qps"] = "1" },
	} {
		data, err := testresult.File(t, "write", option.KindLatency, []int{2}, "poll").Encode()
		if err != nil {
			t.Fatal(err)
		}
		var f map[string]any
		if err := json.Unmarshal(data, &f); err != nil {
			t.Fatal(err)
		}
		spoil(f)
		if validate(t, s, f) == nil {
			t.Errorf("%s: the schema accepts it", name)
		}
	}
}

// A verdict holds to its schema, which refuses unknown members.
func TestVerdictsHoldToTheirSchema(t *testing.T) {
	text, err := jsonschema.UnmarshalJSON(bytes.NewReader(verdict.Schema(true)))
	if err != nil {
		t.Fatal(err)
	}
	c := jsonschema.NewCompiler()
	if err := c.AddResource("verdict", text); err != nil {
		t.Fatal(err)
	}
	schema, err := c.Compile("verdict")
	if err != nil {
		t.Fatal(err)
	}
	f := testresult.Comparison(t, "write", option.KindLatency, []int{8, 64}, map[option.Mode][]float64{"data": {0.5, 1}, "event": {9, 9}})
	data, err := verdict.Judge([]*result.File{f}).Brief.JSON()
	if err != nil {
		t.Fatal(err)
	}
	var document map[string]any
	if err := json.Unmarshal(data, &document); err != nil {
		t.Fatal(err)
	}
	if err := validate(t, schema, document); err != nil {
		t.Error(err)
	}
	document["later"] = 1
	if validate(t, schema, document) == nil {
		t.Error("the schema allows an unknown member")
	}
}
