//go:build !cgo || !linux

package pmix

import "errors"

func share(bool, string) (string, error) {
	return "", errors.New("this program was built without cgo, or not for Linux: build it with CGO_ENABLED=1 on Linux")
}
