package e2e

import (
	"fmt"
	"os/exec"
	"path/filepath"
	"testing"
)

// TestDeviceThatPromisesOrder runs mode data with a preloaded library that answers
// ibv_query_qp_data_in_order: whole messages, aligned blocks, and whole messages as libraries without
// flags answer. It checks every byte.
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
			eachProgram(t, func(t *testing.T, program string) {
				w, options := onDevice(t)
				w.env = []string{"LD_PRELOAD=" + file, "ORDER_ANSWER=" + c.answer}
				server, client := w.runPair(statusDone, program, "", options+" --compare --runs 2 --rounds 1 --verify -n 50 -s 1000")
				for _, side := range []*process{server, client} {
					side.wantRows(layoutOf(program), []int{1000}, compared)
					side.wantStdout(fmt.Sprintf(", %s)\n  answer here    : %s\n  answer at peer : %s\n", c.flags, c.want, c.want))
				}
			})
		})
	}
}
