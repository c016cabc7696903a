package verbsupport

import (
	"errors"

	"github.com/ibperf/ibperf/verbs"
	"golang.org/x/sys/unix"
)

// Verbs behind optional interfaces of package verbs.

func rereg(r *resources, _ verbs.QPType) error {
	mr, err := r.PD.RegMR(r.Mem, local)
	if err != nil {
		return err
	}
	defer mr.Close()
	region, ok := mr.(verbs.Reregistrar)
	if !ok {
		return errNotOffered
	}
	return region.Rereg(verbs.ReregAccess, nil, nil, local|remote)
}

// dmabuf registers descriptor -1. A device with the verb returns EBADF.
func dmabuf(r *resources, _ verbs.QPType) error {
	pd, ok := r.PD.(verbs.DMABufRegistrar)
	if !ok {
		return errNotOffered
	}
	_, err := pd.RegDMABufMR(0, 4096, 0, -1, local)
	if errors.Is(err, unix.EBADF) {
		return nil
	}
	return err
}

func advises(r *resources, _ verbs.QPType) error {
	pd, ok := r.PD.(verbs.Advisor)
	if !ok {
		return errNotOffered
	}
	err := pd.AdviseMR(verbs.AdvicePrefetch, true, []verbs.SGE{{Addr: r.MR.Addr(), Length: messageSize, LKey: r.MR.LKey()}})
	if errors.Is(err, unix.EINVAL) || errors.Is(err, unix.EFAULT) { // rxe of Linux 7.2 has one or the other, by the run
		return otherAnswer("refused, EINVAL or EFAULT")
	}
	return err
}

func windows(t verbs.MWType) func(*resources, verbs.QPType) error {
	return func(r *resources, _ verbs.QPType) error {
		pd, ok := r.PD.(verbs.MWAllocator)
		if !ok {
			return errNotOffered
		}
		return made(pd.AllocMW(t))
	}
}

func extended(kind verbs.Timestamps) func(*resources, verbs.QPType) error {
	return func(r *resources, _ verbs.QPType) error {
		ctx, ok := r.Ctx.(verbs.CQExCreator)
		if !ok {
			return errNotOffered
		}
		return made(ctx.CreateCQEx(&verbs.CQInitAttrEx{CQE: 8, Timestamps: kind}))
	}
}

func moderates(r *resources, _ verbs.QPType) error {
	cq, ok := r.SendCQ.CQ.(verbs.Moderator)
	if !ok {
		return errNotOffered
	}
	return cq.Moderate(0, 0)
}

func parents(r *resources, _ verbs.QPType) error {
	ctx, ok := r.Ctx.(verbs.ParentDomainAllocator)
	if !ok {
		return errNotOffered
	}
	td, err := ctx.AllocTD()
	if err != nil {
		return err
	}
	defer td.Close()
	return made(ctx.AllocParentDomain(r.PD, td))
}
