package option

// Perftest describes the other side of a run if it is perftest.
type Perftest struct {
	Version string // that it announces, such as "6.06"
	Server  bool   // it is the server, and the other side the client
	Cycle   int    // bytes of each QP's memory that it uses for messages of up to half this size
}
