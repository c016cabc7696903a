package option

// operationOptions are about the operations of single tests.
var operationOptions = []*Option{
	{
		Name: "atomic_type", Letter: "A", Argument: "TYPE", Group: groupWork, Only: Test.Atomic,
		Help: "the atomic operation: CMP_AND_SWAP or FETCH_AND_ADD", Perftest: same,
		Meaning: "the atomic operation",
		JSON:    "atomic_type", Label: "Atomic type", Header: Always,
		value: oneOf(func(s *Settings) *AtomicType { return &s.AtomicType }, CmpAndSwap, FetchAndAdd),
	}, {
		Name: "outs", Letter: "o", Argument: "N", Group: groupWork, Only: Test.Fetches,
		Help:    "READs or atomic operations of a QP that are outstanding at a time, as far as both devices allow",
		Default: "as many as both devices allow", Perftest: same,
		Meaning: "READs or atomic operations of a QP that could be outstanding; 0: all that the send queue holds",
		JSON:    "outstanding", Unit: "operations", Label: "Outstand reads", Header: Always,
		value: numberOr(func(s *Settings) *int { return &s.Outs }, 0, 1, MaxOuts),
	},
}

// sends tells tests of SEND.
func sends(t Test) bool { return t.Op == OpSend }
