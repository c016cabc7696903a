package verbsupport

import (
	"testing"

	"github.com/ibperf/ibperf/internal/leak"
)

// TestMain fails if the tests leave something behind.
func TestMain(m *testing.M) { leak.Main(m) }
