//go:build linux && cgo

package ibv

import (
	"strings"
	"testing"
	"testing/fstest"
)

func TestAbsence(t *testing.T) {
	for _, c := range []struct {
		name, want string
		files      []string
	}{
		{"no driver", "nothing in /sys/class/infiniband: check", nil},
		{"nothing but what the modules make", "nothing in /sys/class/infiniband: check", []string{"infiniband_verbs/abi_version"}},
		{"no uverbs", "the kernel has mlx5_0, mlx5_1 in /sys/class/infiniband and no uverbs device", []string{"infiniband/mlx5_0", "infiniband/mlx5_1"}},
		{"no provider", "no provider for mlx5_0: install", []string{"infiniband/mlx5_0", "infiniband_verbs/uverbs0"}},
	} {
		root := fstest.MapFS{}
		for _, f := range c.files {
			root["sys/class/"+f] = &fstest.MapFile{}
		}
		if err := absence(root); !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, want %q", c.name, err, c.want)
		}
	}
}
