package verbs

import "fmt"

// WCStatus is the outcome of a work request: enum ibv_wc_status.
type WCStatus uint32

// The statuses that RC, UC and UD peers can meet.
const (
	WCSuccess            WCStatus = 0
	WCLocLenErr          WCStatus = 1
	WCLocQPOpErr         WCStatus = 2
	WCLocProtErr         WCStatus = 4
	WCWRFlushErr         WCStatus = 5
	WCMWBindErr          WCStatus = 6
	WCBadRespErr         WCStatus = 7
	WCLocAccessErr       WCStatus = 8
	WCRemInvReqErr       WCStatus = 9
	WCRemAccessErr       WCStatus = 10
	WCRemOpErr           WCStatus = 11
	WCRetryExcErr        WCStatus = 12
	WCRNRRetryExcErr     WCStatus = 13
	WCRemAbortErr        WCStatus = 16
	WCFatalErr           WCStatus = 19
	WCRespTimeoutErr     WCStatus = 20
	WCGeneralErr         WCStatus = 21
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
