//go:build !cgo || !linux

package gpu

import "errors"

func allocate(Device, int) (*Memory, error) {
	return nil, errors.New("this program was built without cgo, or not for Linux: build it with CGO_ENABLED=1 on Linux")
}
