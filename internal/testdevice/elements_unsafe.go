package testdevice

import (
	"unsafe"

	"github.com/ibperf/ibperf/verbs"
)

// elements returns the SGEs of a request.
func elements(wr *verbs.SendWR) []verbs.SGE { return unsafe.Slice(wr.SGList, wr.NumSGE) }

// received returns the SGEs of a receive.
func received(wr *verbs.RecvWR) []verbs.SGE { return unsafe.Slice(wr.SGList, wr.NumSGE) }
