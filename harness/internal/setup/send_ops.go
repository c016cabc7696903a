package setup

import (
	"errors"
	"slices"

	"github.com/ibperf/ibperf/verbs"
)

// postsByOperation are the vendors whose devices get QPs for the operations that a test uses, posted by
// ibv_wr_post, as in perftest (verify_params_with_device_context in src/perftest_resources.c). By these
// operations libmlx5 sizes the entries of a send queue: for a WRITE 64 bytes, for any operation 256
// (_sq_overhead in providers/mlx5/verbs.c of rdma-core).
var postsByOperation = []uint32{nvidia, amazon, huawei, yunsilicon}

// chooseOps decides which operations QPs are created for. 0 stands for QPs that are created by
// ibv_create_qp and posted to by ibv_post_send.
func (r *Resources) chooseOps() {
	chosen := slices.Contains(postsByOperation, vendorOf(r.cfg.Context)) && !r.Set.Plan.OldPostSend
	if chosen || r.Set.Unordered() { // SRD has no other QPs
		r.sendOps = r.Set.SendOps()
	}
}

// createFor creates a QP for the operations of the test. If the device has no such QPs, it creates one
// for all operations, and all later ones too.
func (q *Queues) createFor(init *verbs.QPInitAttr) (verbs.QP, error) {
	r := q.Resources
	init.SendOps = r.sendOps
	qp, err := q.domain.CreateQP(init)
	if !errors.Is(err, verbs.ErrNotSupported) || r.sendOps == 0 || r.Set.Unordered() {
		return qp, err
	}
	r.sendOps, init.SendOps = 0, 0
	return q.domain.CreateQP(init)
}
