// Package pmix hands a value from rank 0 of a job to all other ranks by PMIx, the exchange of launchers such as Open MPI's
// mpirun and srun --mpi=pmix. The library is opened at run time: programs do not need it to start. Files: share_unsafe.go
// with share.c calls the library; share_other.go is for builds without cgo.
package pmix

import (
	"fmt"
	"time"
)

// key is the name under which rank 0 leaves its value.
const key = "ibperf-root"

// Share hands a value from rank 0 to all other ranks, and returns it. All ranks of the job must call it; it fails if one of
// them has not within a limit. A process calls it once.
func Share(rank int, value string, limit time.Duration) (string, error) {
	type end struct {
		value string
		err   error
	}
	ended := make(chan end, 1)
	go func() {
		v, err := share(rank == 0, value)
		ended <- end{v, err}
	}()
	select {
	case e := <-ended:
		if e.err != nil {
			return "", fmt.Errorf("PMIx: %w", e.err)
		}
		return e.value, nil
	case <-time.After(limit): // the library has no deadline: its call stays behind
		return "", fmt.Errorf("PMIx: some ranks have not called PMIx_Fence within %v", limit)
	}
}
