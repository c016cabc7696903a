package verbs

// AsyncEvent is struct ibv_async_event. The field of the object that raised it is set.
//
//	CQ_ERR                   a CQ overran
//	QP_FATAL                 a QP went to ERR, and no request of it failed
//	QP_REQ_ERR               a responder QP refused an illegal request
//	QP_ACCESS_ERR            a responder QP refused a request for lack of access rights
//	COMM_EST                 a QP in RTR received its first message
//	SQ_DRAINED               a QP in SQD has completed the requests that it had begun
//	QP_LAST_WQE_REACHED      a QP in ERR takes no more receives from its SRQ
//	SRQ_LIMIT_REACHED        an SRQ has fewer receives than its limit
//	PORT_ACTIVE, PORT_ERR    the link came up, went down
type AsyncEvent struct {
	Type EventType
	QP   QP
	CQ   CQ
	SRQ  SRQ
	Port int
}

// EventType is enum ibv_event_type.
type EventType uint32

// The asynchronous events.
const (
	EventCQErr           EventType = 0  // IBV_EVENT_CQ_ERR
	EventQPFatal         EventType = 1  // IBV_EVENT_QP_FATAL
	EventQPReqErr        EventType = 2  // IBV_EVENT_QP_REQ_ERR
	EventQPAccessErr     EventType = 3  // IBV_EVENT_QP_ACCESS_ERR
	EventCommEst         EventType = 4  // IBV_EVENT_COMM_EST
	EventSQDrained       EventType = 5  // IBV_EVENT_SQ_DRAINED
	EventPathMig         EventType = 6  // IBV_EVENT_PATH_MIG
	EventPathMigErr      EventType = 7  // IBV_EVENT_PATH_MIG_ERR
	EventDeviceFatal     EventType = 8  // IBV_EVENT_DEVICE_FATAL
	EventPortActive      EventType = 9  // IBV_EVENT_PORT_ACTIVE
	EventPortErr         EventType = 10 // IBV_EVENT_PORT_ERR
	EventLIDChange       EventType = 11 // IBV_EVENT_LID_CHANGE
	EventPKeyChange      EventType = 12 // IBV_EVENT_PKEY_CHANGE
	EventSMChange        EventType = 13 // IBV_EVENT_SM_CHANGE
	EventSRQErr          EventType = 14 // IBV_EVENT_SRQ_ERR
	EventSRQLimitReached EventType = 15 // IBV_EVENT_SRQ_LIMIT_REACHED
	EventQPLastWQE       EventType = 16 // IBV_EVENT_QP_LAST_WQE_REACHED
	EventClientReregist  EventType = 17 // IBV_EVENT_CLIENT_REREGISTER
	EventGIDChange       EventType = 18 // IBV_EVENT_GID_CHANGE
)

var eventNames = map[EventType]string{
	EventCQErr: "CQ_ERR", EventQPFatal: "QP_FATAL", EventQPReqErr: "QP_REQ_ERR", EventQPAccessErr: "QP_ACCESS_ERR",
	EventCommEst: "COMM_EST", EventSQDrained: "SQ_DRAINED", EventPathMig: "PATH_MIG", EventPathMigErr: "PATH_MIG_ERR",
	EventDeviceFatal: "DEVICE_FATAL", EventPortActive: "PORT_ACTIVE", EventPortErr: "PORT_ERR",
	EventLIDChange: "LID_CHANGE", EventPKeyChange: "PKEY_CHANGE", EventSMChange: "SM_CHANGE", EventSRQErr: "SRQ_ERR",
	EventSRQLimitReached: "SRQ_LIMIT_REACHED", EventQPLastWQE: "QP_LAST_WQE_REACHED",
	EventClientReregist: "CLIENT_REREGISTER", EventGIDChange: "GID_CHANGE",
}

// String returns the manual's name without IBV_EVENT_.
func (e EventType) String() string { return nameOf(eventNames, e) }
