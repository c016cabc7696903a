package ring

import (
	"testing"

	"github.com/ibperf/ibperf/internal/leak"
)

func TestMain(m *testing.M) { leak.Main(m) }
