package shm_test

import (
	"bytes"
	"errors"
	"fmt"
	"log"
	"runtime"
	"time"

	"github.com/ibperf/ibperf/verbs"
	"github.com/ibperf/ibperf/verbs/shm"
)

// An application writes data and then a flag, and its peer infers from the flag in memory that the
// data has arrived. No device promises that: ibv_query_qp_data_in_order is about the bytes of one
// request. On most devices it nearly always works. On shm_unordered the flag can overtake the data,
// and with the same seed it does so at the same message.
func ExampleDevice() {
	device := check(shm.Device("shm_unordered", shm.Options{Seed: 7}))
	buf := check(verbs.NewBuffer(4096))
	defer buf.Close()
	ctx := check(device.Open())
	defer ctx.Close()
	pd := check(ctx.AllocPD())
	cq := check(ctx.CreateCQ(16, nil, 0))
	mr := check(pd.RegMR(buf.Bytes(), verbs.AccessLocalWrite|verbs.AccessRemoteWrite))
	init := verbs.QPInitAttr{Type: verbs.QPTypeRC, SendCQ: cq, RecvCQ: cq, Cap: verbs.QPCap{MaxSendWR: 2, MaxSendSGE: 1}}
	a, b := check(pd.CreateQP(&init)), check(pd.CreateQP(&init))
	gid := check(ctx.QueryGID(1, 0)).GID
	atA := verbs.Endpoint{QPNum: a.QPNum(), GID: gid, MTU: verbs.MTU1024}
	atB := verbs.Endpoint{QPNum: b.QPNum(), GID: gid, MTU: verbs.MTU1024}
	if err := errors.Join(
		verbs.Connect(a, verbs.Path{Port: 1}, verbs.AccessRemoteWrite, atA, atB),
		verbs.Connect(b, verbs.Path{Port: 1}, verbs.AccessRemoteWrite, atB, atA),
	); err != nil {
		log.Fatal(err)
	}

	// The data has 64 bytes and the flag one. They go to the second half of the buffer.
	source, target := buf.Bytes()[:65], buf.Bytes()[2048:][:65]
	sge, list, wc := check(verbs.Make[verbs.SGE](2)), check(verbs.Make[verbs.SendWR](2)), make([]verbs.WC, 1)
	sge[0] = verbs.SGE{Addr: mr.Addr(), Length: 64, LKey: mr.LKey()}
	sge[1] = verbs.SGE{Addr: mr.Addr() + 64, Length: 1, LKey: mr.LKey()}
	list[0] = verbs.SendWR{SGList: &sge[0], NumSGE: 1, Opcode: verbs.OpRDMAWrite, Next: &list[1]}
	list[1] = verbs.SendWR{SGList: &sge[1], NumSGE: 1, Opcode: verbs.OpRDMAWrite, SendFlags: verbs.SendSignaled}
	list[0].SetRDMA(mr.Addr()+2048, mr.RKey())
	list[1].SetRDMA(mr.Addr()+2048+64, mr.RKey())

	for m := range byte(200) {
		copy(source, bytes.Repeat([]byte{m + 1}, 65))
		check(a.PostSend(&list[0]))
		for target[64] != m+1 { // the mistake: polling the flag
			runtime.Gosched()
		}
		if !bytes.Equal(target, source) {
			fmt.Println("the flag has arrived, the data has not")
			break
		}
		for check(cq.Poll(wc)) == 0 { // so that the source can be written again
		}
	}
	// Output: the flag has arrived, the data has not
}

// An application reuses its buffer before it has polled the completion of the request that sends
// it. This works if the device reads the data at once. A device that delays requests reads it
// later, like a NIC with a full queue, and the peer gets the wrong bytes.
func ExampleOptions() {
	device := check(shm.Device("shm_whole", shm.Options{Delay: 100 * time.Millisecond}))
	buf := check(verbs.NewBuffer(4096))
	defer buf.Close()
	ctx := check(device.Open())
	defer ctx.Close()
	pd := check(ctx.AllocPD())
	cq := check(ctx.CreateCQ(16, nil, 0))
	mr := check(pd.RegMR(buf.Bytes(), verbs.AccessLocalWrite|verbs.AccessRemoteWrite))
	qp := check(pd.CreateQP(&verbs.QPInitAttr{Type: verbs.QPTypeRC, SendCQ: cq, RecvCQ: cq, Cap: verbs.QPCap{MaxSendWR: 2, MaxSendSGE: 1}}))
	self := verbs.Endpoint{QPNum: qp.QPNum(), GID: check(ctx.QueryGID(1, 0)).GID, MTU: verbs.MTU1024}
	if err := verbs.Connect(qp, verbs.Path{Port: 1}, verbs.AccessRemoteWrite, self, self); err != nil {
		log.Fatal(err)
	}

	source, target := buf.Bytes()[:1], buf.Bytes()[2048:2049]
	sge, wr, wc := check(verbs.Make[verbs.SGE](1)), check(verbs.Make[verbs.SendWR](1)), make([]verbs.WC, 1)
	sge[0] = verbs.SGE{Addr: mr.Addr(), Length: 1, LKey: mr.LKey()}
	wr[0] = verbs.SendWR{SGList: &sge[0], NumSGE: 1, Opcode: verbs.OpRDMAWrite, SendFlags: verbs.SendSignaled}
	wr[0].SetRDMA(mr.Addr()+2048, mr.RKey())

	source[0] = 'A'
	check(qp.PostSend(&wr[0]))
	source[0] = 'B' // the mistake: the completion has not been polled
	for check(cq.Poll(wc)) == 0 {
	}
	fmt.Printf("%s: sent A, received %s\n", device.Name(), target)
	// Output: shm_whole:delay=100ms: sent A, received B
}

func check[T any](v T, err error) T {
	if err != nil {
		log.Fatal(err)
	}
	return v
}
