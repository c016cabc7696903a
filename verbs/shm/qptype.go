package shm

import "github.com/ibperf/ibperf/verbs"

// Groups of operations, as bits by opcode.
const (
	opsSend  uint32 = 1<<verbs.OpSend | 1<<verbs.OpSendWithImm
	opsWrite uint32 = 1<<verbs.OpRDMAWrite | 1<<verbs.OpRDMAWriteWithImm
	opsImm   uint32 = 1<<verbs.OpSendWithImm | 1<<verbs.OpRDMAWriteWithImm
	opsMW    uint32 = 1<<verbs.OpBindMW | 1<<verbs.OpLocalInv | 1<<verbs.OpSendWithInv
	opsFetch uint32 = 1<<verbs.OpRDMARead | opsAtomic // bring data here

	opsAtomic uint32 = 1<<verbs.OpAtomicCmpAndSwp | 1<<verbs.OpAtomicFetchAndAdd
)

// operations are those that each type has: the table of ibv_post_send(3).
var operations = map[verbs.QPType]uint32{
	verbs.QPTypeRC: opsSend | opsWrite | opsFetch | opsMW,
	verbs.QPTypeUC: opsSend | opsWrite | opsMW,
	verbs.QPTypeUD: opsSend,

	verbs.QPTypeXRCSend: opsSend | opsWrite | opsFetch | opsMW,
}

// checkType tells whether a QP of the type can be made, on what it is to be made of.
func (c *context) checkType(init *verbs.QPInitAttr) error {
	switch init.Type {
	case verbs.QPTypeRC, verbs.QPTypeUD:
		if s, ok := own[*srq](c, init.SRQ); init.SRQ != nil && (!ok || s.xrcd != nil) {
			return c.err("create_qp", einval, "the SRQ must be of the same context, open, and not for XRC")
		}
	case verbs.QPTypeUC, verbs.QPTypeXRCSend:
		if init.SRQ != nil {
			return c.err("create_qp", einval, init.Type.String()+" takes no shared receive queue: RC and UD do")
		}
	case rawPacket, driver:
		return c.err("create_qp", verbs.ErrNotSupported, init.Type.String()+" is not offered")
	case verbs.QPTypeXRCRecv:
		return c.err("create_qp", einval, "XRC_RECV is made from an XRC domain: XRCD.CreateRecvQP")
	default:
		return c.err("create_qp", einval, init.Type.String()+" is no type of user QPs")
	}
	return nil
}

// Types that other devices have.
const (
	rawPacket verbs.QPType = 8
	driver    verbs.QPType = 255
)

// connected tells whether the QP talks to a single peer.
func (q *qp) connected() bool { return q.typ != verbs.QPTypeUD }

// peerType is the type of the QP at the other end of a connection.
func (q *qp) peerType() verbs.QPType {
	switch q.typ {
	case verbs.QPTypeXRCSend:
		return verbs.QPTypeXRCRecv
	case verbs.QPTypeXRCRecv:
		return verbs.QPTypeXRCSend
	}
	return q.typ
}

// unreliable tells whether the QP's requests are not acknowledged.
func (q *qp) unreliable() bool { return q.typ == verbs.QPTypeUC || q.typ == verbs.QPTypeUD }
