package verbs

// PortSpeedQuerier is a [Context] that returns the effective speed of a port. ActiveSpeed times
// ActiveWidth is wrong for ports of several links, such as bonds.
type PortSpeedQuerier interface {
	// QueryPortSpeed returns the speed in units of 100 Mb/s; ErrNotSupported if the library, before
	// rdma-core 62, or the driver lacks the call.
	//
	//	int ibv_query_port_speed(struct ibv_context *context, uint32_t port_num, uint64_t *port_speed)
	QueryPortSpeed(port int) (uint64, error)
}
