package option

// operationOptions are options of READs and atomic operations.
var operationOptions = []*Option{
	{
		Name: "atomic_type", Letter: "A", Argument: "TYPE", Group: groupWorkload, Only: Test.Atomic,
		Help: "the atomic operation: CMP_AND_SWAP or FETCH_AND_ADD", Perftest: same,
		Meaning: "the atomic operation",
		JSON:    "atomic_type", Label: "Atomic type", Header: Always,
		value: oneOf(func(s *Settings) *AtomicType { return &s.AtomicType }, CmpAndSwap, FetchAndAdd),
	}, {
		Name: "outs", Letter: "o", Argument: "N", Group: groupQueues, Only: Test.Fetches,
		Help:    "maximum number of outstanding READs or atomic operations of a QP, limited by both devices",
		Default: "as many as both devices allow", Perftest: same,
		Meaning: "maximum number of outstanding READs or atomic operations of a QP; 0: the send queue depth",
		JSON:    "outstanding", Unit: "operations", Label: "Outstand reads", Header: Always,
		value: numberOr(func(s *Settings) *int { return &s.Outs }, 0, 1, MaxOuts),
	},
}

// sends reports whether a test is one of SEND.
func sends(t Test) bool { return t.Op == OpSend }
