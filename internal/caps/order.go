package caps

import (
	"errors"
	"fmt"
	"slices"

	"github.com/ibperf/ibperf/verbs"
)

// operations are those whose data arrives in memory.
var operations = []verbs.Opcode{verbs.OpSend, verbs.OpRDMAWrite, verbs.OpRDMARead}

// askOrders asks for every transport and operation, over the first active port.
func askOrders(c verbs.Context, ports []Port) []Order {
	transport := verbs.QPTypeRC.String()
	orders := make([]Order, len(operations))
	for i, op := range operations {
		orders[i] = Order{Transport: transport, Operation: op.String(), Answer: NotAsked}
	}
	err := withPair(c, ports, func(qp verbs.QP) error {
		for i, op := range operations {
			answer, call, err := verbs.AskOrder(qp, op)
			orders[i].Query = call
			if err != nil {
				orders[i].Error = err.Error()
				continue
			}
			orders[i].Answer = answer.String()
		}
		return nil
	})
	for i := range orders {
		if err != nil && orders[i].Answer == NotAsked && orders[i].Error == "" {
			orders[i].Error = err.Error()
		}
	}
	return orders
}

// withPair calls use with one of two RC QPs of the device that are connected
// with each other: mlx5 gives its promise for QPs in RTS only.
func withPair(c verbs.Context, ports []Port, use func(verbs.QP) error) (err error) {
	i := slices.IndexFunc(ports, func(p Port) bool {
		return p.attr.State == verbs.PortActive || p.attr.State == verbs.PortActiveDefer
	})
	if i < 0 {
		return errors.New("no port is active, and a QP must be connected to be asked")
	}
	active := &ports[i]
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
			SendCQ: cq, RecvCQ: cq, Type: verbs.QPTypeRC,
			Cap: verbs.QPCap{MaxSendWR: 1, MaxRecvWR: 1, MaxSendSGE: 1, MaxRecvSGE: 1},
		})
		if err != nil {
			return err
		}
		made.add(pair[i])
	}
	for i, qp := range pair {
		local, gidIndex := endpoint(qp, active)
		remote, _ := endpoint(pair[1-i], active)
		if err := verbs.Connect(qp, verbs.Path{Port: active.Number, GIDIndex: gidIndex}, 0, local, remote); err != nil {
			return fmt.Errorf("connect two QPs of the device with each other: %w", err)
		}
	}
	return use(pair[0])
}

// closers are objects to close in the reverse order of their making.
type closers []interface{ Close() error }

func (c *closers) add(o interface{ Close() error }) { *c = append(*c, o) }

func (c *closers) close() error {
	var errs []error
	for _, o := range slices.Backward(*c) {
		errs = append(errs, o.Close())
	}
	return errors.Join(errs...)
}

// endpoint describes a QP of the port to the other one: by LID where that is
// enough, else by GID.
func endpoint(qp verbs.QP, p *Port) (e verbs.Endpoint, gidIndex int) {
	e = verbs.Endpoint{QPNum: qp.QPNum(), LID: p.attr.LID, MTU: p.attr.ActiveMTU, RdAtomic: 1}
	if p.attr.LinkLayer != verbs.LinkEthernet && !p.attr.GRHRequired {
		return e, 0
	}
	gid, _ := verbs.BestGID(p.gids, p.Number)
	e.GID = gid.GID
	return e, gid.Index
}
