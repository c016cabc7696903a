package verbsupport

import (
	"fmt"
	"os"
	"testing"

	"github.com/ibperf/ibperf/verbs"
	"github.com/ibperf/ibperf/verbs/verbstest/fixture"
)

// resources holds an opened device with memory and a CQ, on which verbs are tried.
type resources struct {
	*fixture.Side
	received verbs.WC // the last completion of a receive
}

const (
	local       = verbs.AccessLocalWrite
	remote      = verbs.AccessRemoteWrite | verbs.AccessRemoteRead | verbs.AccessRemoteAtomic
	messageSize = 8 // bytes of each message
)

func newResources(t *testing.T, dev verbs.Device) *resources {
	t.Helper()
	ctx := fixture.Open(t, dev)
	port := must(ctx.QueryPort(1))(t)
	var table []verbs.GIDEntry
	for i := range port.GIDTableLen {
		if e, err := ctx.QueryGID(1, i); err == nil {
			table = append(table, e)
		}
	}
	best, _ := verbs.BestGID(table, 1)
	c := fixture.Default()
	c.GIDIndex, c.OneCQ, c.Channel, c.SigAll, c.BufferSize = best.Index, true, true, true, 4096
	c.Access, c.QPAccess = local|remote, local|remote
	c.Cap = verbs.QPCap{MaxSendWR: 4, MaxRecvWR: 4, MaxSendSGE: 1, MaxRecvSGE: 1, MaxInlineData: messageSize}
	c.RNRTimer, c.Timeout, c.RetryCnt, c.RNRRetry, c.RdAtomic, c.DestRdAtomic = 1, 14, 2, 2, 1, 1
	return &resources{Side: fixture.New(t, ctx, c)}
}

func must[T any](v T, err error) func(t *testing.T) T {
	return func(t *testing.T) T {
		t.Helper()
		fixture.OK(t, err)
		return v
	}
}

// conn is a connection between two QPs, or UD QPs with an address handle.
type conn struct {
	from, to fixture.Side
	ah       verbs.AH
}

// connect makes QPs of the type and moves them to RTS. srq may be nil.
func (r *resources) connect(typ verbs.QPType, srq verbs.SRQ) (*conn, error) {
	c := &conn{from: *r.Side, to: *r.Side}
	c.from.Config.Type, c.to.Config.Type = typ, typ
	c.from.SRQ, c.to.SRQ = srq, srq
	switch typ {
	case verbs.QPTypeUC:
		c.from.Config.QPAccess, c.to.Config.QPAccess = local|verbs.AccessRemoteWrite, local|verbs.AccessRemoteWrite
	case verbs.QPTypeXRCSend:
		if err := c.openXRC(); err != nil {
			return nil, err
		}
	}
	for _, s := range []*fixture.Side{&c.to, &c.from} {
		if err := s.TryQP(); err != nil {
			return nil, err
		}
	}
	if typ == verbs.QPTypeUD {
		ah, err := r.PD.CreateAH(r.route())
		if err != nil {
			return nil, err
		}
		c.ah = fixture.Own(r.T, ah, nil)
	}
	for _, state := range fixture.Path(verbs.QPRTS) {
		for _, s := range [][2]*fixture.Side{{&c.from, &c.to}, {&c.to, &c.from}} {
			if err := s[0].TryTo(state, s[1]); err != nil {
				return nil, fmt.Errorf("to %s: %w", state, err)
			}
		}
	}
	return c, nil
}

// openXRC opens the XRC domain and creates the SRQ of the receiver.
func (c *conn) openXRC() error {
	domain, err := c.to.Ctx.OpenXRCD(-1, os.O_CREATE)
	if err != nil {
		return err
	}
	fixture.Own(c.to.T, domain, nil)
	srq, err := c.to.PD.CreateSRQ(&verbs.SRQInitAttr{Attr: verbs.SRQAttr{MaxWR: 4, MaxSGE: 1}, XRCD: domain, CQ: c.to.RecvCQ.CQ})
	if err != nil {
		return err
	}
	c.to.Config.Type, c.to.XRCD, c.to.SRQ = verbs.QPTypeXRCRecv, domain, fixture.Own(c.to.T, srq, nil)
	c.from.RemoteSRQ, err = srq.Num()
	return err
}

// route returns the address of the device itself.
func (r *resources) route() *verbs.AHAttr {
	a := r.AddressOf(r.Side)
	return &a
}
