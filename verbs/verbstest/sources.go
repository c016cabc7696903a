package verbstest

import (
	_ "embed"
	"strings"
	"sync"
)

//go:embed sources.txt
var sourcesText string

// sources holds the source of each statement, by its id.
var sources = sync.OnceValue(func() map[string]string {
	byID := map[string]string{}
	for line := range strings.Lines(sourcesText) {
		line = strings.TrimSpace(line)
		if line == "" || line[0] == '#' {
			continue
		}
		ids, source, _ := strings.Cut(line, ": ")
		for _, id := range strings.Fields(ids) {
			byID[id] = source
		}
	}
	return byID
})

// allowance is a deviation that the standard allows to hardware: what a device may do instead, and
// the source.
type allowance struct{ does, source string }

// allowances holds the statements that hold on software devices but need not on hardware, by id.
var allowances = map[string]allowance{
	"CQ-7": {"a CQ that overran may go on saying that it is empty",
		"ibv_poll_cq(3) says that it cannot be used, not what polling returns; rdma-core providers/mlx5/cq.c, poll_cq fails for completions of unknown QPs alone"},
	"CQ-12": {"a CQ that overran may go on saying that it is empty, and raise CQ_ERR for each completion lost",
		"ibv_poll_cq(3) says that the event is triggered and the CQ cannot be used, and no more"},
	"AEV-7": {"the QP of a CQ that overran may raise another event than QP_FATAL, or none",
		"ibv_get_async_event(3): CQ_ERR is the event of an overrun"},
	"QPS-36": {"a number may be given again at once",
		"no page of libibverbs says when a number comes back"},
	"QRY-11": {"attributes that were not set, or were before RESET, may have any value",
		"ibv_query_qp(3) promises those that the state has"},
	"SND-17": {"the flag may be ignored, or the request fail when it is carried out",
		"ibv_post_send(3): IBV_SEND_INLINE is valid for SEND and WRITE only, and it does not say what happens otherwise"},
}
