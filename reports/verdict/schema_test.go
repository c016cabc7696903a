package verdict

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/ibperf/ibperf/internal/golden"
)

// The schema in docs is that of this release; go test -update rewrites it. It describes every member.
func TestSchemaInDocs(t *testing.T) {
	golden.Check(t, "../../../docs/verdict.schema.json", Schema(false))
	var top any
	if err := json.Unmarshal(Schema(false), &top); err != nil {
		t.Fatal(err)
	}
	wantDescriptions(t, "", top)
}

// wantDescriptions checks that all properties of a schema have a description, except those of the header.
func wantDescriptions(t *testing.T, path string, schema any) {
	t.Helper()
	object, _ := schema.(map[string]any)
	properties, _ := object["properties"].(map[string]any)
	for name, member := range properties {
		at := path + "/" + name
		text, _ := member.(map[string]any)["description"].(string)
		if text == "" && at != "/format" && at != "/version" {
			t.Errorf("%s has no description", strings.TrimPrefix(at, "/"))
		}
		wantDescriptions(t, at, member)
	}
	if items, some := object["items"]; some {
		wantDescriptions(t, path, items)
	}
}
