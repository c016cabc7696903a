package option

import "math"

// memoryOptions are options of the opcode, of memory and of the CQ.
var memoryOptions = []*Option{
	{
		Name: "write_with_imm", Group: groupWorkload, Only: only(OpWrite),
		Help: "write with RDMA_WRITE_WITH_IMM: each message consumes a receive and completes at the receiver", Perftest: same,
		Meaning: "messages were sent with RDMA_WRITE_WITH_IMM, in all modes",
		JSON:    "write_with_imm", Label: "With immediate", Header: WhenSet,
		value: toggle(func(s *Settings) *bool { return &s.WriteWithImm }),
	}, {
		Name: "send_with_imm", Group: groupWorkload, Only: only(OpSend),
		Help: "send with SEND_WITH_IMM", Perftest: same,
		Meaning: "messages were sent with SEND_WITH_IMM",
		JSON:    "send_with_imm", Label: "With immediate", Header: WhenSet,
		value: toggle(func(s *Settings) *bool { return &s.SendWithImm }),
	}, {
		Name: "cqe_poll", Argument: "N", Group: groupQueues,
		Help: "maximum number of completions per ibv_poll_cq", Perftest: "64 by default, not 16",
		JSON: "cqe_poll", Unit: "completions", Label: "CQE Poll Batch", Header: WhenSet,
		value: number(func(s *Settings) *int { return &s.CQEPoll }, 1, math.MaxUint16),
	}, {
		Name: "use_old_post_send", Group: groupQueues, Compare: true,
		Help: "create QPs by ibv_create_qp and post by ibv_post_send on all devices; otherwise devices of mlx5, EFA, hns and Yunsilicon have QPs for the operations of the test (ibv_create_qp_ex), posted by ibv_wr_post", Perftest: "without effect over SRD, whose devices post WRITEs and READs by ibv_wr_post only",
		Meaning: "QPs were created by ibv_create_qp, and requests posted by ibv_post_send",
		JSON:    "use_old_post_send", Label: "Old post send", Header: WhenSet,
		value: toggle(func(s *Settings) *bool { return &s.OldPostSend }),
	}, {
		Name: "no_enhanced_reorder", Group: groupQueues,
		Help:     "create no QP with out-of-order placement (MLX5DV_QP_CREATE_OOO_DP); otherwise RC QPs of modes poll, adaptive and event have it if both devices offer it, and those of mode data and of comparisons never do",
		Perftest: "QPs of mode data and of comparisons never have the feature, which takes away the device's promise; with --rdma_cm and --use_old_post_send no QP has it, as in perftest",
		Meaning:  "no QP had out-of-order placement",
		JSON:     "no_enhanced_reorder", Label: "No reorder", Header: WhenSet,
		value: toggle(func(s *Settings) *bool { return &s.InOrder }),
	}, {
		Name: "no_lock", Group: groupQueues, Compare: true,
		Help: "create QPs in a thread domain (ibv_alloc_td), for which the library takes no locks", Perftest: "not on embedded devices",
		Meaning: "QPs were in a thread domain, for which the library takes no locks",
		JSON:    "no_lock", Label: "Lock-free", Header: WhenSet,
		value: toggle(func(s *Settings) *bool { return &s.NoLock }),
	}, {
		Name: "mr_per_qp", Group: groupMemory, Compare: true,
		Help: "register a separate memory region for each QP", Perftest: "in latency tests too",
		Meaning: "each QP had a separate memory region",
		JSON:    "mr_per_qp", Label: "MR per QP", Header: WhenSet,
		value: toggle(func(s *Settings) *bool { return &s.MRPerQP }),
	}, {
		Name: "odp", Group: groupMemory, Compare: true,
		Help: "register memory for on-demand paging, which does not pin it", Perftest: same,
		Meaning: "memory was registered for on-demand paging",
		JSON:    "odp", Label: "On-demand paging", Header: WhenSet,
		value: toggle(func(s *Settings) *bool { return &s.ODP }),
	}, {
		Name: "use_hugepages", Group: groupMemory, Compare: true,
		Help: "allocate memory in huge pages; the machine must have enough free ones (vm.nr_hugepages)", Perftest: "in a memfd, not SysV shared memory; not on embedded devices",
		Meaning: "memory was in huge pages",
		JSON:    "use_hugepages", Label: "Huge pages", Header: WhenSet,
		value: toggle(func(s *Settings) *bool { return &s.HugePages }),
	},
}

// ownMemoryOptions are a side's own.
var ownMemoryOptions = []*Option{
	{
		Name: "numa_node", Argument: "N", Group: groupDevice, Scope: PerSide,
		Help: "bind memory to this NUMA node, and the process to its CPUs", Default: "memory and measuring threads near the device",
		Perftest: "without it memory and measuring threads are near the device, and the rest of the process is not bound",
		Excludes: []Exclusion{{Name: "pin_cores", Why: "both choose the CPUs of the process"}},
		value:    numberOr(func(s *Settings) *int { return &s.Own.NUMANode }, -1, 0, 1023),
	}, {
		Name: "payload_file_path", Argument: "PATH", Group: groupDevice, Scope: PerSide,
		Help:     "fill the messages of this side with the 32-bit words of a file, repeatedly; the file has words such as 0xdeadbeef, 0x1",
		Default:  "zeros",
		Perftest: "in ib_write_lat too, whose markers overwrite parts of it; without it messages are zeros, and perftest's are random bytes in all tests but write_lat",
		Excludes: []Exclusion{{Name: "verify", Why: "--verify fills messages with a pattern of its own"}},
		value:    text(func(s *Settings) *string { return &s.Own.Payload }, nil),
	},
}

// only returns a predicate for tests of one operation.
func only(op Op) func(Test) bool { return func(t Test) bool { return t.Op == op } }
