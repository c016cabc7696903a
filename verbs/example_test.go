package verbs_test

import (
	"fmt"
	"log"

	"github.com/ibperf/ibperf/verbs"
	_ "github.com/ibperf/ibperf/verbs/shm"
)

// Two QPs of one device are connected to each other, and one sends to the other.
func Example() {
	buf := try(verbs.NewBuffer(4096))
	defer buf.Close()
	device := try(verbs.Lookup("shm_whole"))
	ctx := try(device.Open())
	defer ctx.Close()
	pd := try(ctx.AllocPD())
	cq := try(ctx.CreateCQ(16, nil, 0))
	mr := try(pd.RegMR(buf.Bytes(), verbs.AccessLocalWrite))

	init := verbs.QPInitAttr{
		Type: verbs.QPTypeRC, SendCQ: cq, RecvCQ: cq,
		Cap: verbs.QPCap{MaxSendWR: 1, MaxRecvWR: 1, MaxSendSGE: 1, MaxRecvSGE: 1},
	}
	a, b := try(pd.CreateQP(&init)), try(pd.CreateQP(&init))
	gid := try(ctx.QueryGID(1, 0)).GID
	atA := verbs.Endpoint{QPNum: a.QPNum(), GID: gid, MTU: verbs.MTU1024}
	atB := verbs.Endpoint{QPNum: b.QPNum(), GID: gid, MTU: verbs.MTU1024}
	check(verbs.Connect(a, verbs.Path{Port: 1}, 0, atA, atB))
	check(verbs.Connect(b, verbs.Path{Port: 1}, 0, atB, atA))

	sge, recv, send := try(verbs.Make[verbs.SGE](2)), try(verbs.Make[verbs.RecvWR](1)), try(verbs.Make[verbs.SendWR](1))
	n := copy(buf.Bytes(), "hello from a")
	sge[0] = verbs.SGE{Addr: mr.Addr(), Length: uint32(n), LKey: mr.LKey()}
	sge[1] = verbs.SGE{Addr: mr.Addr() + 2048, Length: 2048, LKey: mr.LKey()}
	recv[0] = verbs.RecvWR{WRID: 1, SGList: &sge[1], NumSGE: 1}
	try(b.PostRecv(&recv[0]))
	send[0] = verbs.SendWR{WRID: 2, SGList: &sge[0], NumSGE: 1, Opcode: verbs.OpSend}
	try(a.PostSend(&send[0]))

	wc := make([]verbs.WC, 1)
	for try(cq.Poll(wc)) == 0 {
	}
	fmt.Println(wc[0].Opcode, wc[0].Status, "wr_id", wc[0].WRID)
	fmt.Printf("%s\n", buf.Bytes()[2048:][:wc[0].ByteLen])
	// Output:
	// RECV SUCCESS wr_id 1
	// hello from a
}

func check(err error) {
	if err != nil {
		log.Fatal(err)
	}
}

func try[T any](v T, err error) T {
	check(err)
	return v
}
