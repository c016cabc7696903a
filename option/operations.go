package option

import (
	"slices"
	"strings"
)

// operation holds the properties of an operation that no option changes.
type operation struct {
	op      Op
	verb    string      // its name in messages
	fetches bool        // the requester gets data from the peer
	without []Transport // whose QPs do not have the operation
}

// operations has every operation, in the order of programs, comparisons and reports.
var operations = []operation{
	{op: OpWrite, verb: "WRITE", without: []Transport{UD}},
	{op: OpSend, verb: "SEND"},
	{op: OpRead, verb: "READ", fetches: true, without: []Transport{UC, UD}},
	{op: OpAtomic, verb: "atomic operations", fetches: true, without: []Transport{UC, UD, SRD}},
}

// Ops returns all operations, in the order of programs, comparisons and reports.
func Ops() (all []Op) {
	for _, o := range operations {
		all = append(all, o.op)
	}
	return all
}

// entry returns the entry of the table, an empty one for an unknown operation.
func (op Op) entry() (o operation) {
	if i := slices.IndexFunc(operations, func(o operation) bool { return o.op == op }); i >= 0 {
		o = operations[i]
	}
	return o
}

// verb returns the operation's name in verbs.
func (op Op) verb() string { return op.entry().verb }

// Fetches reports whether the requester gets data from the peer, by READs or atomic operations.
func (op Op) Fetches() bool { return op.entry().fetches }

// Carries reports whether QPs of the transport have the operation.
func (t Transport) Carries(op Op) bool { return !slices.Contains(op.entry().without, t) }

// verbs returns the names of the operations of a transport: "WRITE, SEND and READ".
func (t Transport) verbs() string {
	var names []string
	for _, op := range Ops() {
		if t.Carries(op) {
			names = append(names, op.verb())
		}
	}
	last := len(names) - 1
	if last == 0 {
		return names[0]
	}
	return strings.Join(names[:last], ", ") + " and " + names[last]
}

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
