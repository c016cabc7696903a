package option

import "math"

// memoryOptions say what messages are made of, where they lie, and how the queues are served.
var memoryOptions = []*Option{
	{
		Name: "write_with_imm", Group: groupWork, Only: only(OpWrite),
		Help: "send by WRITE_WITH_IMM: each message takes a receive, and gives the receiver a completion", Perftest: same,
		Meaning: "messages were sent by WRITE_WITH_IMM, in all modes",
		JSON:    "write_with_imm", Label: "With immediate", Header: WhenSet,
		value: toggle(func(s *Settings) *bool { return &s.WriteWithImm }),
	}, {
		Name: "send_with_imm", Group: groupWork, Only: only(OpSend),
		Help: "send by SEND_WITH_IMM", Perftest: same,
		Meaning: "messages were sent by SEND_WITH_IMM",
		JSON:    "send_with_imm", Label: "With immediate", Header: WhenSet,
		value: toggle(func(s *Settings) *bool { return &s.SendWithImm }),
	}, {
		Name: "cqe_poll", Argument: "N", Group: groupWork,
		Help: "completions that are taken at a time, at most", Perftest: "64 by default, not 16",
		JSON: "cqe_poll", Unit: "completions", Label: "CQE Poll Batch", Header: WhenSet,
		value: number(func(s *Settings) *int { return &s.CQEPoll }, 1, math.MaxUint16),
	}, {
		Name: "no_lock", Group: groupWork, Compare: true,
		Help: "make QPs in a thread domain (ibv_alloc_td), which the library takes no locks for", Perftest: "not on embedded devices",
		Meaning: "QPs were in a thread domain, which the library takes no locks for",
		JSON:    "no_lock", Label: "Lock-free", Header: WhenSet,
		value: toggle(func(s *Settings) *bool { return &s.NoLock }),
	}, {
		Name: "mr_per_qp", Group: groupWork, Compare: true,
		Help: "register the memory of each QP's messages by itself", Perftest: "in latency tests too",
		Meaning: "the memory of each QP's messages was registered by itself",
		JSON:    "mr_per_qp", Label: "MR per QP", Header: WhenSet,
		value: toggle(func(s *Settings) *bool { return &s.MRPerQP }),
	}, {
		Name: "odp", Group: groupWork, Compare: true,
		Help: "register memory for on-demand paging, without pinning it", Perftest: same,
		Meaning: "memory was registered for on-demand paging",
		JSON:    "odp", Label: "On-demand paging", Header: WhenSet,
		value: toggle(func(s *Settings) *bool { return &s.ODP }),
	}, {
		Name: "use_hugepages", Group: groupWork, Compare: true,
		Help: "take memory in huge pages, of which the machine must have enough free (vm.nr_hugepages)", Perftest: "of a memfd, not SysV's shared memory; not on embedded devices",
		Meaning: "memory was in huge pages",
		JSON:    "use_hugepages", Label: "Huge pages", Header: WhenSet,
		value: toggle(func(s *Settings) *bool { return &s.HugePages }),
	},
}

// ownMemoryOptions are a side's own.
var ownMemoryOptions = []*Option{
	{
		Name: "numa_node", Argument: "N", Group: groupDevice, Whose: Each,
		Help: "bind memory to this NUMA node, and the process to its CPUs", Default: "any memory; CPUs near the device",
		Perftest: "nothing is bound without it",
		Excludes: []Exclusion{{Name: "pin_cores", Why: "both say on which CPUs the process runs"}},
		value:    numberOr(func(s *Settings) *int { return &s.Own.NUMANode }, -1, 0, 1023),
	}, {
		Name: "payload_file_path", Argument: "PATH", Group: groupDevice, Whose: Each,
		Help:     "fill messages of this side with the words of a file, again and again: 32 bits each, as 0xdeadbeef, 0x1",
		Default:  "zeros",
		Perftest: "in ib_write_lat too, whose markers lie over it; without it messages are zeros, where perftest's are random bytes in all tests but write_lat",
		Excludes: []Exclusion{{Name: "verify", Why: "a message that is checked has contents of its own"}},
		value:    text(func(s *Settings) *string { return &s.Own.Payload }, nil),
	},
}

// only has tests of one operation.
func only(op Op) func(Test) bool { return func(t Test) bool { return t.Op == op } }
