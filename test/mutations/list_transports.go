package main

// transportFaults are faults of UC and of atomic operations.
var transportFaults = []mutation{
	{"FETCH_AND_ADD adds without being atomic", "RMA-10", "atomic.go",
		`binary.NativeEndian.PutUint64(old[:], atomic.AddUint64(word, w.word.compareAdd)-w.word.compareAdd)`,
		`v := *word
		for range 20_000 {
			binary.NativeEndian.PutUint64(old[:], v)
		}
		*word = v + w.word.compareAdd`},
	{"FETCH_AND_ADD returns the sum", "RMA-6", "atomic.go",
		`w.word.compareAdd)-w.word.compareAdd)`, `w.word.compareAdd))`},
	{"CMP_AND_SWP always swaps", "RMA-5", "atomic.go",
		`old != compare {`, `old != compare && !atomic.CompareAndSwapUint64(word, old, swap) {`},
	{"atomic operations need no right of their own", "MR-12 RMA-15", "atomic.go",
		`verbs.AccessRemoteAtomic`, `verbs.AccessRemoteWrite`},
	{"atomic operations work from any local length", "RMA-9", "post.go",
		`!= wordSize:`, `> 1<<20:`},
	{"a UC request to nobody fails", "RMA-16", "uc.go",
		`case p == nil:
`, `case p == nil:
		return verbs.WCRetryExcErr
`},
	{"a local error takes UC to ERR", "QPS-28", "post.go",
		`case q.unreliable():`, `case q.typ == verbs.QPTypeUD:`},
}
