package main

import (
	"fmt"
	"log"
	"os"

	"github.com/ibperf/ibperf/verbs"
	_ "github.com/ibperf/ibperf/verbs/ibv"
	_ "github.com/ibperf/ibperf/verbs/shm"
)

func must[T any](v T, err error) T {
	if err != nil {
		log.Fatal(err)
	}
	return v
}

// main writes from one half of a buffer into the other, through a QP that is its own peer.
func main() {
	ctx := must(must(verbs.Lookup(os.Args[1])).Open())
	pd, cq, buf := must(ctx.AllocPD()), must(ctx.CreateCQ(1, nil, 0)), must(verbs.NewBuffer(4096))
	mr := must(pd.RegMR(buf.Bytes(), verbs.AccessLocalWrite|verbs.AccessRemoteWrite))
	qp := must(pd.CreateQP(&verbs.QPInitAttr{Type: verbs.QPTypeRC, SendCQ: cq, RecvCQ: cq, Cap: verbs.QPCap{MaxSendWR: 1, MaxSendSGE: 1, MaxRecvWR: 1, MaxRecvSGE: 1}}))
	gid, _ := verbs.BestGID(must(ctx.QueryGIDTable(1024)), 1)
	itself := verbs.Endpoint{QPNum: qp.QPNum(), GID: gid.GID, MTU: verbs.MTU1024}
	if err := verbs.Connect(qp, verbs.Path{Port: 1, GIDIndex: gid.Index}, verbs.AccessRemoteWrite, itself, itself); err != nil {
		log.Fatal(err)
	}
	n := copy(buf.Bytes(), "written by RDMA")
	wr := verbs.SendWR{Opcode: verbs.OpRDMAWrite, SendFlags: verbs.SendSignaled, NumSGE: 1, SGList: &verbs.SGE{Addr: mr.Addr(), Length: uint32(n), LKey: mr.LKey()}}
	wr.SetRDMA(mr.Addr()+2048, mr.RKey())
	must(qp.PostSend(&wr))
	for wc := make([]verbs.WC, 1); must(cq.PollSpin(wc, 1000)) == 0; {
	}
	if got := string(buf.Bytes()[2048:][:n]); got != "written by RDMA" {
		log.Fatalf("the buffer has %q", got)
	}
	fmt.Println("written by RDMA on", os.Args[1])
}
