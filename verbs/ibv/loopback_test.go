//go:build linux && cgo

package ibv

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/ibperf/ibperf/verbs"
)

// loopback is the device of the libibverbs in testdata/loopback.
const loopback = "loopback0"

// ways are the two ways of timed calls into C, as values of IBPERF_CGO.
var ways = map[string]string{"ccall": "", "cgo": "1"}

// TestEachWay runs the tests on the loopback device, once for each way.
func TestEachWay(t *testing.T) {
	library := loopbackLibrary(t)
	for name, forced := range ways {
		t.Run(name, func(t *testing.T) {
			out, err := onLoopback(library, forced, "^TestLoopback", "-test.v", "-stress", stress.String()).CombinedOutput()
			if err != nil || bytes.Contains(out, []byte("--- SKIP")) {
				t.Errorf("%v\n%s", err, out)
			}
		})
	}
}

// loopbackLibrary compiles the library and returns its folder.
func loopbackLibrary(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	gcc(t, "-shared", "-fPIC", "-pthread", "-o", filepath.Join(dir, "libibverbs.so.1"), "testdata/loopback/loopback.c", "testdata/loopback/absent.c")
	return dir
}

// onLoopback is a run of this program's tests on the loopback device.
func onLoopback(library, forced, tests string, args ...string) *exec.Cmd {
	cmd := exec.Command(os.Args[0], append([]string{"-test.run", tests, "-test.timeout", "5m", "-device", loopback}, args...)...)
	cmd.Env = append(os.Environ(), "LD_LIBRARY_PATH="+library, "IBPERF_CGO="+forced)
	return cmd
}

// lane is a QP that receives what it sends, with CQ and memory.
type lane struct {
	cq  verbs.CQ
	qp  verbs.QP
	srq verbs.SRQ // or nil
	mem *verbs.Buffer
}

// depth is how many requests a test posts at once.
const depth = 16

func openLoopback(t *testing.T) verbs.Context {
	t.Helper()
	if *deviceName != loopback {
		t.Skip("run by TestEachWay, with -device " + loopback)
	}
	ctx, err := testDevice(t).Open()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { ctx.Close() })
	return ctx
}

func newLane(t *testing.T, ctx verbs.Context, shared bool) *lane {
	t.Helper()
	l := &lane{}
	pd, err := ctx.AllocPD()
	must := func(what string) {
		t.Helper()
		if err != nil {
			t.Fatalf("%s: %v", what, err)
		}
	}
	must("pd")
	t.Cleanup(func() { pd.Close() })
	l.cq, err = ctx.CreateCQ(2*depth, nil, 0)
	must("cq")
	t.Cleanup(func() { l.cq.Close() })
	if shared {
		l.srq, err = pd.CreateSRQ(&verbs.SRQInitAttr{Attr: verbs.SRQAttr{MaxWR: depth, MaxSGE: 2}})
		must("srq")
		t.Cleanup(func() { l.srq.Close() })
	}
	l.qp, err = pd.CreateQP(&verbs.QPInitAttr{
		Type: verbs.QPTypeRC, SendCQ: l.cq, RecvCQ: l.cq, SRQ: l.srq,
		Cap: verbs.QPCap{MaxSendWR: depth, MaxRecvWR: depth, MaxSendSGE: 2, MaxRecvSGE: 2},
	})
	must("qp")
	t.Cleanup(func() { l.qp.Close() })
	l.mem, err = verbs.NewBuffer(4096)
	must("buffer")
	t.Cleanup(func() { l.mem.Close() })
	return l
}

// postRecv posts to the queue that the QP receives from.
func (l *lane) postRecv(wr *verbs.RecvWR) (*verbs.RecvWR, error) {
	if l.srq != nil {
		return l.srq.PostRecv(wr)
	}
	return l.qp.PostRecv(wr)
}
