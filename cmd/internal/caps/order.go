package caps

import (
	"errors"
	"fmt"
	"runtime"
	"slices"

	"github.com/ibperf/ibperf/verbs"
)

// operations are the operations that store data in memory.
var operations = []verbs.Opcode{verbs.OpSend, verbs.OpRDMAWrite, verbs.OpRDMARead}

// cpuDecides is set on CPUs for which libibverbs promises nothing whatever the device answers: all but
// x86 (ibv_query_qp_data_in_order in rdma-core, libibverbs/verbs.c). There the device is asked, too.
var cpuDecides = runtime.GOARCH != "amd64" && runtime.GOARCH != "386"

// askOrders asks about every operation on the first active port, with RC QPs, or with SRD QPs if the
// device has no RC.
func askOrders(c verbs.Context, ports []Port) []Order {
	var asked []Order
	ask := func(qp verbs.QP) { asked = askQP(qp) }
	kind := verbs.QPTypeRC
	err := withQP(c, ports, kind, ask)
	if errors.Is(err, verbs.ErrNotSupported) && withQP(c, ports, verbs.QPTypeSRD, ask) == nil {
		kind, err = verbs.QPTypeSRD, nil
	}
	orders := make([]Order, len(operations))
	for i, op := range operations {
		orders[i] = Order{Operation: op.String(), Answer: NotAsked}
		if asked != nil {
			orders[i] = asked[i]
		}
		orders[i].Transport = kind.String()
		if err != nil && orders[i].Answer == NotAsked && orders[i].Error == "" {
			orders[i].Error = err.Error()
		}
	}
	return orders
}

// askQP asks a QP about every operation.
func askQP(qp verbs.QP) []Order {
	orders := make([]Order, len(operations))
	for i, op := range operations {
		answer, call, err := verbs.AskOrder(qp, op)
		orders[i] = Order{Operation: op.String(), Answer: NotAsked, Query: call}
		if err != nil {
			orders[i].Error = err.Error()
			continue
		}
		orders[i].Answer = answer.String()
		if !cpuDecides {
			continue
		}
		device, err := verbs.AskDeviceOrder(qp, op)
		orders[i].Device = device.String()
		if err != nil {
			orders[i].Device, orders[i].Error = NotAsked, err.Error()
		}
	}
	return orders
}

// withQP calls use with a QP of the device in RTS: mlx5 answers 0 in other states.
func withQP(c verbs.Context, ports []Port, kind verbs.QPType, use func(verbs.QP)) (err error) {
	i := slices.IndexFunc(ports, func(p Port) bool {
		return p.attr.State == verbs.PortActive || p.attr.State == verbs.PortActiveDefer
	})
	if i < 0 {
		return errors.New("no port is active, and a QP must be in RTS to be asked")
	}
	var made closers
	defer func() { err = errors.Join(err, made.close()) }()
	pd, err := c.AllocPD()
	if err != nil {
		return err
	}
	made.add(pd)
	cq, err := c.CreateCQ(2, nil, 0)
	if err != nil {
		return err
	}
	made.add(cq)
	var pair [2]verbs.QP
	for i := range pair {
		pair[i], err = pd.CreateQP(&verbs.QPInitAttr{
			SendCQ: cq, RecvCQ: cq, Type: kind,
			Cap: verbs.QPCap{MaxSendWR: 1, MaxRecvWR: 1, MaxSendSGE: 1, MaxRecvSGE: 1},
		})
		if err != nil {
			return err
		}
		made.add(pair[i])
	}
	if kind == verbs.QPTypeSRD {
		err = verbs.Activate(pair[0], verbs.Path{Port: ports[i].Number}, 0, 0)
	} else {
		err = connect(pair, &ports[i])
	}
	if err != nil {
		return err
	}
	use(pair[0])
	return nil
}

// connect connects two QPs of the device with each other.
func connect(pair [2]verbs.QP, active *Port) error {
	for i, qp := range pair {
		local, gidIndex := endpoint(qp, active)
		remote, _ := endpoint(pair[1-i], active)
		if err := verbs.Connect(qp, verbs.Path{Port: active.Number, GIDIndex: gidIndex}, 0, local, remote); err != nil {
			return fmt.Errorf("connect two QPs of the device with each other: %w", err)
		}
	}
	return nil
}

// closers are objects to close in the reverse order of their creation.
type closers []interface{ Close() error }

func (c *closers) add(o interface{ Close() error }) { *c = append(*c, o) }

func (c *closers) close() error {
	var errs []error
	for _, o := range slices.Backward(*c) {
		errs = append(errs, o.Close())
	}
	return errors.Join(errs...)
}

// endpoint returns the address of a QP of the port: the LID if that is enough, else a GID.
func endpoint(qp verbs.QP, p *Port) (e verbs.Endpoint, gidIndex int) {
	e = verbs.Endpoint{QPNum: qp.QPNum(), LID: p.attr.LID, MTU: p.attr.ActiveMTU, RdAtomic: 1}
	if p.attr.LinkLayer != verbs.LinkEthernet && !p.attr.GRHRequired {
		return e, 0
	}
	gid, _ := verbs.BestGID(p.gids, p.Number)
	e.GID = gid.GID
	return e, gid.Index
}
