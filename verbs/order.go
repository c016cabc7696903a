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
	// OrderWholeMsg or 0. rdma-core knows it since version 46.
	OrderReturnCaps OrderFlags = 1 << 0
	// OrderDeviceOnly asks for the device's promise alone, leaving out what the
	// host CPU adds. rdma-core knows it since version 60.
	OrderDeviceOnly OrderFlags = 1 << 1
)

// OrderCaps is what a device promises about the order of incoming data.
type OrderCaps uint32

// The promises.
const (
	OrderWholeMsg        OrderCaps = 1 << 0 // all data of a message is written in order
	OrderAligned128Bytes OrderCaps = 1 << 1 // each aligned 128-byte block is written in order
)

// Order is a device's promise as a reader of memory has to take it.
type Order int

// The four answers, which are never mixed up: a device that promises nothing
// and a library that cannot be asked are different things.
const (
	OrderUnknown Order = iota // the library lacks the call, which rdma-core has since version 36
	OrderNone                 // asked, and not promised: never poll memory
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

// AskOrder asks qp, which must be in RTS, what it promises for op and returns
// the answer with the call as it was made: for the mask of promises, or, of
// libraries that know no flags, for the whole message alone. The answer is about
// this side as the receiver of SENDs and WRITEs and as the requester of READs,
// within one work request, for a CPU that reads memory registered without relaxed
// ordering (ibv_query_qp_data_in_order(3)).
func AskOrder(qp QP, op Opcode) (Order, string, error) {
	flags, name := OrderReturnCaps, "IBV_QUERY_QP_DATA_IN_ORDER_RETURN_CAPS"
	caps, err := qp.QueryDataInOrder(op, flags)
	if errors.Is(err, syscall.EINVAL) {
		flags, name = 0, "0"
		caps, err = qp.QueryDataInOrder(op, flags)
	}
	call := fmt.Sprintf("ibv_query_qp_data_in_order(qp, IBV_WR_%s, %s)", op, name)
	switch {
	case errors.Is(err, ErrNotSupported):
		return OrderUnknown, call, nil
	case err != nil:
		return OrderUnknown, call, err
	case caps&OrderWholeMsg != 0: // also the 1 that flags 0 answer
		return OrderWhole, call, nil
	case caps&OrderAligned128Bytes != 0:
		return OrderBlocks, call, nil
	}
	return OrderNone, call, nil
}
