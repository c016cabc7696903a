package setup

import (
	"fmt"

	"github.com/ibperf/ibperf/verbs"
)

// Options of a path that rdma_cm chooses.

// typeOfService returns the type of service for rdma_cm: --tos, otherwise --tclass on Ethernet,
// where both are the same byte of a packet. On InfiniBand the type of service is a QoS class, and
// not the traffic class.
func (r *Resources) typeOfService() int {
	p := &r.Set.Plan
	if p.TOS == verbs.CMDefaultTOS && p.TClass > 0 && r.Port.LinkLayer == verbs.LinkEthernet {
		return p.TClass
	}
	return p.TOS
}

// differences returns a text for each option of this side that a path does not follow.
func (r *Resources) differences(path *verbs.AHAttr) (all []string) {
	compare := func(what, option string, asked, chosen int, has bool) {
		switch {
		case !has:
			all = append(all, fmt.Sprintf("rdma_cm chose a path without a %s, and not that of --%s %d", what, option, asked))
		case chosen != asked:
			all = append(all, fmt.Sprintf("rdma_cm chose %s %d, and not that of --%s %d", what, chosen, option, asked))
		}
	}
	if asked := r.cfg.GIDIndex; asked >= 0 {
		compare("GID index", "gid-index", asked, int(path.GRH.SGIDIndex), path.IsGlobal)
	}
	if asked := r.Set.Plan.SL; asked > 0 {
		compare("service level", "sl", asked, int(path.SL), true)
	}
	if asked := r.Set.Plan.TClass; asked > 0 {
		compare("traffic class", "tclass", asked, int(path.GRH.TrafficClass), path.IsGlobal)
	}
	return all
}
