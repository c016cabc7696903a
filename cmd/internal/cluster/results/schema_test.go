package results

import (
	"testing"

	"github.com/ibperf/ibperf/internal/golden"
)

// The schema in docs is that of this release; go test -update rewrites it.
func TestSchemaInDocs(t *testing.T) {
	golden.Check(t, "../../../../../docs/cluster.schema.json", Schema(false))
}
