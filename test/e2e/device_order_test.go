package e2e

import (
	"fmt"
	"os/exec"
	"path/filepath"
	"testing"
)

// TestDeviceThatPromisesOrder runs data mode over the device where a preloaded
// library answers for libibverbs that the order of data is promised: of whole
// messages, of blocks as today's libraries tell it, and of whole messages as old
// ones do. Each byte is checked.
func TestDeviceThatPromisesOrder(t *testing.T) {
	for _, c := range []struct{ name, file, answer, want, flags string }{
		{"whole", "libibverbs.so.1.14.46.0", "3", "whole message", "IBV_QUERY_QP_DATA_IN_ORDER_RETURN_CAPS"},
		{"blocks", "libibverbs.so.1.14.46.0", "2", "aligned 128-byte blocks", "IBV_QUERY_QP_DATA_IN_ORDER_RETURN_CAPS"},
		{"whole, old library", "libibverbs.so.1.14.44.0", "3", "whole message", "0"},
	} {
		t.Run(c.name, func(t *testing.T) {
			file := filepath.Join(t.TempDir(), c.file)
			onDevice(t)
			if out, err := exec.Command("gcc", "-shared", "-fPIC", "-o", file, "../preload/order.c").CombinedOutput(); err != nil {
				t.Fatalf("gcc: %v\n%s", err, out)
			}
			each(t, func(t *testing.T, program string) {
				p, options := onDevice(t)
				p.env = []string{"LD_PRELOAD=" + file, "ORDER_ANSWER=" + c.answer}
				server, client := p.run(statusDone, program, "", options+" --compare --verify -n 50 -s 1000")
				for _, side := range []*process{server, client} {
					side.wantRows(layoutOf(program), []int{1000}, modes)
					side.prints(fmt.Sprintf(", %s)\n  answer here    : %s\n  answer at peer : %s\n", c.flags, c.want, c.want))
				}
			})
		})
	}
}
