package setup

import (
	"github.com/ibperf/ibperf/harness/internal/testcase"
	"github.com/ibperf/ibperf/verbs"
)

// offersOutOfOrder reports whether the device has QPs with out-of-order placement, with as many receives
// as the test needs. It asks only for a test that uses them.
func (r *Resources) offersOutOfOrder() bool {
	if !r.Set.WantsOutOfOrder() {
		return false
	}
	a, err := r.cfg.Context.QueryDevice()
	return err == nil && a.MaxOutOfOrderRecvWR >= r.Set.Queues.Recvs
}

// OffersOutOfOrder reports whether both devices have QPs with out-of-order placement, which must be on
// both sides (mlx5dv_create_qp(3)).
func (r *Resources) OffersOutOfOrder() bool { return r.offer.OutOfOrder && r.theirOffer.OutOfOrder }

// OutOfOrder reports whether the QPs of a mode have out-of-order placement.
func (r *Resources) OutOfOrder(m testcase.Mode) bool {
	return r.OffersOutOfOrder() && r.Set.OutOfOrder(m)
}

// checkOutOfOrder refuses a row on QPs with out-of-order placement that a side does not have.
func (r *Resources) checkOutOfOrder() error {
	switch {
	case !r.Set.NeedsOutOfOrder() || r.OffersOutOfOrder():
		return nil
	case !r.offer.OutOfOrder:
		return Mismatchf("--also ooo: mlx5dv_query_device offers no RC QPs with out-of-order placement and %d receives (ooo_recv_wrs_caps): %v",
			r.Set.Queues.Recvs, verbs.ErrNotSupported)
	}
	return Mismatchf("--also ooo: the device of the peer has no RC QPs with out-of-order placement and %d receives", r.Set.Queues.Recvs)
}
