package shm

import "github.com/ibperf/ibperf/verbs"

// Groups of operations, as bit sets of opcodes.
const (
	opsSend  uint32 = 1<<verbs.OpSend | 1<<verbs.OpSendWithImm
	opsWrite uint32 = 1<<verbs.OpRDMAWrite | 1<<verbs.OpRDMAWriteWithImm
	opsImm   uint32 = 1<<verbs.OpSendWithImm | 1<<verbs.OpRDMAWriteWithImm
	opsMW    uint32 = 1<<verbs.OpBindMW | 1<<verbs.OpLocalInv | 1<<verbs.OpSendWithInv
	opsFetch uint32 = 1<<verbs.OpRDMARead | opsAtomic // data is stored locally

	opsAtomic uint32 = 1<<verbs.OpAtomicCmpAndSwp | 1<<verbs.OpAtomicFetchAndAdd
)

// operations holds the operations that each QP type supports, as in the table of ibv_post_send(3).
var operations = map[verbs.QPType]uint32{
	verbs.QPTypeRC: opsSend | opsWrite | opsFetch | opsMW,
	verbs.QPTypeUC: opsSend | opsWrite | opsMW,
	verbs.QPTypeUD: opsSend,

	verbs.QPTypeXRCSend: opsSend | opsWrite | opsFetch | opsMW,
}

// checkType returns an error unless a QP of the type can be created with the attributes.
func (c *context) checkType(init *verbs.QPInitAttr) error {
	switch init.Type {
	case verbs.QPTypeRC, verbs.QPTypeUD:
		if s, ok := checkedObject[*srq](c, init.SRQ); init.SRQ != nil && (!ok || s.xrcd != nil) {
			return c.err("create_qp", einval, "the SRQ must be of the same context, open, and not for XRC")
		}
	case verbs.QPTypeUC, verbs.QPTypeXRCSend:
		if init.SRQ != nil {
			return c.err("create_qp", einval, init.Type.String()+" cannot use an SRQ; RC and UD can")
		}
	case qpTypeRawPacket, qpTypeDriver:
		return c.err("create_qp", verbs.ErrNotSupported, init.Type.String()+" is not supported")
	case verbs.QPTypeXRCRecv:
		return c.err("create_qp", einval, "an XRC_RECV QP is created from an XRC domain: XRCD.CreateRecvQP")
	default:
		return c.err("create_qp", einval, init.Type.String()+" is not a QP type for applications")
	}
	return nil
}

// QP types that other devices have.
const (
	qpTypeRawPacket verbs.QPType = 8
	qpTypeDriver    verbs.QPType = 255
)

// connected reports whether the QP has a single peer.
func (q *qp) connected() bool { return q.typ != verbs.QPTypeUD }

// completesReceives reports whether the QP has receives of its own, whose completions are on its receive CQ.
func (q *qp) completesReceives() bool { return !q.usesSRQ() && q.typ != verbs.QPTypeXRCSend }

// peerType returns the type of the QP at the other end of a connection.
func (q *qp) peerType() verbs.QPType {
	switch q.typ {
	case verbs.QPTypeXRCSend:
		return verbs.QPTypeXRCRecv
	case verbs.QPTypeXRCRecv:
		return verbs.QPTypeXRCSend
	}
	return q.typ
}

// unreliable reports whether the QP's requests are not acknowledged.
func (q *qp) unreliable() bool { return q.typ == verbs.QPTypeUC || q.typ == verbs.QPTypeUD }
