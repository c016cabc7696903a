//go:build cgo && linux

package pmix

/*
#cgo LDFLAGS: -ldl
#include <stdlib.h>
#include "share.h"
*/
import "C"

import (
	"errors"
	"fmt"
	"unsafe"
)

func share(isRoot bool, value string) (string, error) {
	s := (*C.struct_shared)(C.calloc(1, C.sizeof_struct_shared))
	k, v := C.CString(key), C.CString(value)
	defer func() {
		for _, p := range []unsafe.Pointer{unsafe.Pointer(s), unsafe.Pointer(k), unsafe.Pointer(v)} {
			C.free(p)
		}
	}()
	root := C.int(0)
	if isRoot {
		root = 1
	}
	switch C.share_value(s, root, k, v) {
	case C.SHARE_DONE:
		return C.GoString(&s.value[0]), nil
	case C.SHARE_NO_LIBRARY:
		return "", fmt.Errorf("%s: install the PMIx library of the launcher, or add its folder to LD_LIBRARY_PATH", C.GoString(&s.problem[0]))
	}
	return "", errors.New(C.GoString(&s.problem[0]))
}
