package verbs

import "fmt"

// WCStatus is the outcome of a work request: enum ibv_wc_status. String returns the
// manual's name, Cause the usual cause:
//
//	LOC_LEN_ERR         requester: message longer than the port allows; receiver: longer than
//	                    its receive
//	LOC_QP_OP_ERR       operation not legal on this QP
//	LOC_PROT_ERR        local memory: wrong key, bounds, access or domain
//	WR_FLUSH_ERR        the QP was in ERR: the first other status has the cause
//	LOC_ACCESS_ERR      receiver: a refused WRITE_WITH_IMM took this receive
//	REM_INV_REQ_ERR     refused by the responder: longer than its receive, an operation that
//	                    its QP does not allow, or a READ with MaxDestRdAtomic 0
//	REM_ACCESS_ERR      refused by the responder: wrong rkey, range, access or domain
//	REM_OP_ERR          the responder's receive names unusable memory
//	RETRY_EXC_ERR       no response: process gone, wrong QP number or PSN, QP not in RTR
//	RNR_RETRY_EXC_ERR   the responder posted no receive in time
//
// The two sides see different statuses of one failure; REM_ statuses are the requester's.
type WCStatus uint32

// The statuses of RC, UC and UD requests.
const (
	WCSuccess            WCStatus = 0  // IBV_WC_SUCCESS
	WCLocLenErr          WCStatus = 1  // IBV_WC_LOC_LEN_ERR
	WCLocQPOpErr         WCStatus = 2  // IBV_WC_LOC_QP_OP_ERR
	WCLocProtErr         WCStatus = 4  // IBV_WC_LOC_PROT_ERR
	WCWRFlushErr         WCStatus = 5  // IBV_WC_WR_FLUSH_ERR
	WCMWBindErr          WCStatus = 6  // IBV_WC_MW_BIND_ERR
	WCBadRespErr         WCStatus = 7  // IBV_WC_BAD_RESP_ERR
	WCLocAccessErr       WCStatus = 8  // IBV_WC_LOC_ACCESS_ERR
	WCRemInvReqErr       WCStatus = 9  // IBV_WC_REM_INV_REQ_ERR
	WCRemAccessErr       WCStatus = 10 // IBV_WC_REM_ACCESS_ERR
	WCRemOpErr           WCStatus = 11 // IBV_WC_REM_OP_ERR
	WCRetryExcErr        WCStatus = 12 // IBV_WC_RETRY_EXC_ERR
	WCRNRRetryExcErr     WCStatus = 13 // IBV_WC_RNR_RETRY_EXC_ERR
	WCRemAbortErr        WCStatus = 16 // IBV_WC_REM_ABORT_ERR
	WCFatalErr           WCStatus = 19 // IBV_WC_FATAL_ERR
	WCRespTimeoutErr     WCStatus = 20 // IBV_WC_RESP_TIMEOUT_ERR
	WCGeneralErr         WCStatus = 21 // IBV_WC_GENERAL_ERR
	wcStatusesWithACause          = 22
)

var statusTexts = [wcStatusesWithACause]struct{ name, cause string }{
	WCSuccess:        {"SUCCESS", "done"},
	WCLocLenErr:      {"LOC_LEN_ERR", "message longer than the posted receive or than the port allows"},
	WCLocQPOpErr:     {"LOC_QP_OP_ERR", "operation not legal for this QP"},
	WCLocProtErr:     {"LOC_PROT_ERR", "local key, bounds or access of the local buffer are wrong"},
	WCWRFlushErr:     {"WR_FLUSH_ERR", "the QP is in the error state; look for the first other status"},
	WCMWBindErr:      {"MW_BIND_ERR", "memory window not bound"},
	WCBadRespErr:     {"BAD_RESP_ERR", "unexpected response from the peer"},
	WCLocAccessErr:   {"LOC_ACCESS_ERR", "the peer's write was refused by a local protection check"},
	WCRemInvReqErr:   {"REM_INV_REQ_ERR", "the peer refused the request: too long for its receive, or its QP does not allow the operation"},
	WCRemAccessErr:   {"REM_ACCESS_ERR", "the peer refused the rkey, the range or the access"},
	WCRemOpErr:       {"REM_OP_ERR", "the peer could not carry the operation out"},
	WCRetryExcErr:    {"RETRY_EXC_ERR", "the peer's QP does not answer: process gone, QP not ready or numbers wrong"},
	WCRNRRetryExcErr: {"RNR_RETRY_EXC_ERR", "the peer posted no receive in time"},
	WCRemAbortErr:    {"REM_ABORT_ERR", "the peer aborted the operation"},
	WCFatalErr:       {"FATAL_ERR", "device error"},
	WCRespTimeoutErr: {"RESP_TIMEOUT_ERR", "no response in time"},
	WCGeneralErr:     {"GENERAL_ERR", "transport error without a name of its own"},
}

// String returns the manual's name without IBV_WC_.
func (s WCStatus) String() string {
	if int(s) < len(statusTexts) && statusTexts[s].name != "" {
		return statusTexts[s].name
	}
	return fmt.Sprintf("status %d", uint32(s))
}

// Cause returns the usual cause of the status in a few words.
func (s WCStatus) Cause() string {
	if int(s) < len(statusTexts) && statusTexts[s].cause != "" {
		return statusTexts[s].cause
	}
	return "see the vendor's syndrome"
}
