package verbs

import (
	"errors"
	"fmt"
	"syscall"
)

// OrderFlags select the kind of answer of [QP.QueryDataInOrder].
type OrderFlags uint32

// The query flags.
const (
	// OrderReturnCaps asks for a mask of [OrderCaps]; without it the answer is
	// OrderWholeMsg or 0. It needs rdma-core 46.
	OrderReturnCaps OrderFlags = 1 << 0
	// OrderDeviceOnly asks for the device's promise alone, without the host CPU's
	// part. It needs rdma-core 60.
	OrderDeviceOnly OrderFlags = 1 << 1
)

// OrderCaps is a mask of a device's promises about the order of incoming data.
type OrderCaps uint32

// The promises.
const (
	OrderWholeMsg        OrderCaps = 1 << 0 // all data of a message is written in order
	OrderAligned128Bytes OrderCaps = 1 << 1 // each aligned 128-byte block is written in order
)

// Order is a device's promise of data order, for a poller of memory.
type Order int

// The answers to the question about data order. OrderUnknown means that the library cannot
// be asked, OrderNone that the device promises nothing.
const (
	OrderUnknown Order = iota // the library lacks the call, which needs rdma-core 36
	OrderNone                 // no promise: do not poll memory
	OrderBlocks               // poll the last byte of every aligned 128-byte block
	OrderWhole                // poll the last byte of the message
)

// BlockSize is the size and alignment of the blocks of [OrderBlocks].
const BlockSize = 128

func (o Order) String() string {
	switch o {
	case OrderNone:
		return "not promised"
	case OrderBlocks:
		return "aligned 128-byte blocks"
	case OrderWhole:
		return "whole message"
	}
	return "unknown"
}

// AskOrder asks qp, which must be in RTS, for the data order that it promises for op. It
// returns the promise and the text of the call. It asks for the mask of promises, or, if
// the library knows no flags, for OrderWholeMsg alone. The promise is about this side as
// the receiver of SENDs and WRITEs and as the requester of READs, within one work request,
// and about CPU reads of memory without [AccessRelaxedOrdering]
// (ibv_query_qp_data_in_order(3)).
func AskOrder(qp QP, op Opcode) (Order, string, error) {
	name := "IBV_QUERY_QP_DATA_IN_ORDER_RETURN_CAPS"
	caps, err := qp.QueryDataInOrder(op, OrderReturnCaps)
	if errors.Is(err, syscall.EINVAL) {
		name = "0"
		caps, err = qp.QueryDataInOrder(op, 0)
	}
	call := fmt.Sprintf("ibv_query_qp_data_in_order(qp, IBV_WR_%s, %s)", op, name)
	if errors.Is(err, ErrNotSupported) {
		return OrderUnknown, call, nil
	}
	return orderOf(caps, err), call, err
}

// AskDeviceOrder asks qp for the order in which the device alone writes. For a poller of
// memory that is a promise only where the host's CPU reads in order what the device has
// written in order. libibverbs takes that for granted on x86 and nowhere else, so [AskOrder]
// has the answer of the device on x86 and OrderNone on other CPUs. It returns OrderUnknown if
// the library does not know the question.
func AskDeviceOrder(qp QP, op Opcode) (Order, error) {
	caps, err := qp.QueryDataInOrder(op, OrderReturnCaps|OrderDeviceOnly)
	if errors.Is(err, ErrNotSupported) || errors.Is(err, syscall.EINVAL) {
		return OrderUnknown, nil
	}
	return orderOf(caps, err), err
}

// orderOf returns the order of an answer. Flags 0 return 1, which is the same bit.
func orderOf(caps OrderCaps, err error) Order {
	switch {
	case err != nil:
		return OrderUnknown
	case caps&OrderWholeMsg != 0:
		return OrderWhole
	case caps&OrderAligned128Bytes != 0:
		return OrderBlocks
	}
	return OrderNone
}
