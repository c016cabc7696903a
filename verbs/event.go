package verbs

// AsyncEvent is struct ibv_async_event: something that happened to an object
// apart from its completions. The field that its type is about is set.
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
	EventCQErr           EventType = 0
	EventQPFatal         EventType = 1
	EventQPReqErr        EventType = 2
	EventQPAccessErr     EventType = 3
	EventCommEst         EventType = 4
	EventSQDrained       EventType = 5
	EventPathMig         EventType = 6
	EventPathMigErr      EventType = 7
	EventDeviceFatal     EventType = 8
	EventPortActive      EventType = 9
	EventPortErr         EventType = 10
	EventLIDChange       EventType = 11
	EventPKeyChange      EventType = 12
	EventSMChange        EventType = 13
	EventSRQErr          EventType = 14
	EventSRQLimitReached EventType = 15
	EventQPLastWQE       EventType = 16
	EventClientReregist  EventType = 17
	EventGIDChange       EventType = 18
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
