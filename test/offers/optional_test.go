package offers

import (
	"errors"

	"golang.org/x/sys/unix"

	"github.com/ibperf/ibperf/verbs"
)

// What a backend offers by interfaces that it may lack.

func rereg(r *rig, _ verbs.QPType) error {
	mr, err := r.pd.RegMR(r.buf.Bytes(), local)
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

// dmabuf registers what is no dma-buf, which only a device with the verb finds out.
func dmabuf(r *rig, _ verbs.QPType) error {
	pd, ok := r.pd.(verbs.DMABufRegistrar)
	if !ok {
		return errNotOffered
	}
	_, err := pd.RegDMABufMR(0, 4096, 0, -1, local)
	if errors.Is(err, unix.EBADF) {
		return nil
	}
	return err
}

func advises(r *rig, _ verbs.QPType) error {
	pd, ok := r.pd.(verbs.Advisor)
	if !ok {
		return errNotOffered
	}
	return pd.AdviseMR(verbs.AdvicePrefetch, true, []verbs.SGE{{Addr: r.mr.Addr(), Length: words, LKey: r.mr.LKey()}})
}

func windows(t verbs.MWType) func(*rig, verbs.QPType) error {
	return func(r *rig, _ verbs.QPType) error {
		pd, ok := r.pd.(verbs.MWAllocator)
		if !ok {
			return errNotOffered
		}
		return made(pd.AllocMW(t))
	}
}

func extended(kind verbs.Timestamps) func(*rig, verbs.QPType) error {
	return func(r *rig, _ verbs.QPType) error {
		ctx, ok := r.ctx.(verbs.CQExCreator)
		if !ok {
			return errNotOffered
		}
		return made(ctx.CreateCQEx(&verbs.CQInitAttrEx{CQE: 8, Timestamps: kind}))
	}
}

func moderates(r *rig, _ verbs.QPType) error {
	cq, ok := r.cq.(verbs.Moderator)
	if !ok {
		return errNotOffered
	}
	return cq.Moderate(0, 0)
}

func parents(r *rig, _ verbs.QPType) error {
	ctx, ok := r.ctx.(verbs.ParentDomainAllocator)
	if !ok {
		return errNotOffered
	}
	td, err := ctx.AllocTD()
	if err != nil {
		return err
	}
	defer td.Close()
	return made(ctx.AllocParentDomain(r.pd, td))
}
