package harness

import (
	"fmt"

	"github.com/ibperf/ibperf/oob"
	"github.com/ibperf/ibperf/reports/result"
	"github.com/ibperf/ibperf/verbs"
)

// What was asked for of a path that rdma_cm chooses.

// typeOfService is what rdma_cm is asked for: --tos, else --tclass on Ethernet, where both are one
// byte of the packets. On InfiniBand a type of service is a QoS class, and no traffic class.
func (r *rig) typeOfService() int {
	p := r.plan
	if p.TOS == verbs.CMDefaultTOS && p.TClass > 0 && r.port.LinkLayer == verbs.LinkEthernet {
		return p.TClass
	}
	return p.TOS
}

// mostUnlike is how many options [rig.unlike] is about.
const mostUnlike = 3

// unlike says what of a path is not as this side was asked for, a text for each option.
func (r *rig) unlike(path *verbs.AHAttr) (all []string) {
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
	if asked := r.plan.SL; asked > 0 {
		compare("service level", "sl", asked, int(path.SL), true)
	}
	if asked := r.plan.TClass; asked > 0 {
		compare("traffic class", "tclass", asked, int(path.GRH.TrafficClass), path.IsGlobal)
	}
	return all
}

// pathWarnings are about paths that are not as they were asked for.
func pathWarnings(mine, theirs oob.Promise) (w []result.Warning) {
	for _, s := range []struct {
		name   string
		unlike []string
	}{{"this side", mine.Unlike}, {"the peer", theirs.Unlike}} {
		for _, text := range s.unlike {
			w = append(w, result.Warning{ID: "rdma-cm-path", Text: fmt.Sprintf("on %s %s; without --rdma_cm it is as asked for", s.name, text)})
		}
	}
	return w
}
