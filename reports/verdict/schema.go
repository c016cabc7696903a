package verdict

import (
	"reflect"

	"github.com/ibperf/ibperf/result"
)

// FormatName and FormatVersion identify the JSON document of a brief, verdict.json. Releases may add
// members within a version.
const (
	FormatName    = "ibperf-verdict"
	FormatVersion = 1
)

// FileName is the name of the document in the folder of ib_compare.
const FileName = "verdict.json"

// SchemaID is the $id of the schema, and the address of docs/verdict.schema.json.
const SchemaID = "https://raw.githubusercontent.com/ibperf/ibperf/main/docs/verdict.schema.json"

// Schema returns the JSON Schema of verdict.json, as [result.Schema] does for result files.
func Schema(closed bool) []byte {
	return result.SchemaOf(reflect.TypeFor[Brief](), header, "Verdict of ibperf", SchemaID, closed)
}

// header begins the document.
var header = result.Header{Format: FormatName, Version: FormatVersion}
