package result_test

import (
	"testing"

	"github.com/ibperf/ibperf/internal/golden"
	"github.com/ibperf/ibperf/result"
)

// The schema in docs is that of this release; go test -update rewrites it.
func TestSchemaInDocs(t *testing.T) {
	golden.Check(t, "../../docs/result.schema.json", result.Schema(false))
}
