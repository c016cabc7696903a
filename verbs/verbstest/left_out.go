package verbstest

// Reasons that several statements share.
const (
	noAPI     = "the API has no such call: "
	noResize  = noAPI + "resize_cq and modify_cq"
	noAtomics = noAPI + "atomic operations"
	noUC      = "the API offers no UC"
	noUD      = "the API offers no UD"
	noEvents  = "asynchronous events are no topic of the suite yet"
	noMW      = noAPI + "memory windows"
	callers   = "a rule for callers, not for devices"
	permits   = "it permits, and asserts nothing"
	ownOfRxe  = "it describes soft RoCE alone; "
)

// leftOut holds the statements that the suite does not assert, and why.
var leftOut = map[string]string{
	"DEV-2":  "it needs a host without RDMA support in the kernel",
	"DEV-3":  noAPI + "free_device_list; devices stay valid",
	"DEV-8":  noAPI + "query_device beside query_device_ex",
	"DEV-10": noAPI + "comp_mask of query_device_ex's input",
	"DEV-11": noAPI + "comp_mask of query_device_ex's attributes",
	"DEV-16": "which ODP capabilities a software device should have is no rule for others",
	"DEV-19": noAPI + "phys_port_cnt_ex",
	"DEV-20": noAtomics,
	"DEV-21": noAPI + "modify_srq, XRC and IBV_QP_CAP",
	"DEV-22": noAPI + "create_cq_ex",

	"PORT-4":  ownOfRxe + "its numbers are not promised",
	"PORT-5":  noAPI + "query_gid; see PORT-7 for query_gid_ex",
	"PORT-6":  noAPI + "query_gid; see PORT-7 for query_gid_ex",
	"PORT-8":  noAPI + "query_gid_table",
	"PORT-10": noAPI + "query_pkey",
	"PORT-11": noAPI + "get_pkey_index",
	"PORT-12": "it would take the port down; " + noEvents,
	"PORT-13": noUD,

	"MR-5":  "memory of a Buffer can always be written",
	"MR-16": noAPI + "reg_mr_iova",
	"MR-17": noAPI + "reg_mr_iova",
	"MR-19": noAPI + "rereg_mr",
	"MR-20": noAPI + "rereg_mr",
	"MR-21": noAPI + "alloc_null_mr",
	"MR-23": noAPI + "inc_rkey",
	"MR-24": "it needs two processes, which the programs' own tests have",

	"CQ-7":  "nothing but an overrun makes poll_cq fail; see CQ-12",
	"CQ-9":  permits,
	"CQ-13": ownOfRxe + "CQ-12 asserts it as a quirk",
	"CQ-14": ownOfRxe + "it loses completions of receives silently",
	"CQ-16": noResize,
	"CQ-17": noResize,
	"CQ-18": noResize,
	"CQ-19": noResize,

	"QPS-27": "it needs a send queue that takes long to drain",
	"QPS-28": noUC,

	"QRY-4":  ownOfRxe + "exact capacities are not promised",
	"QRY-10": permits,
	"QRY-11": "values that are not valid are not looked at",

	"SND-8":  permits,
	"SND-9":  "the API always passes both pointers",
	"SND-17": callers + ": READ is never inline",
	"SND-20": permits,
	"SND-21": noUC,
	"SND-27": callers,
	"SND-28": noUD,

	"RCV-12": noUD,

	"RMA-5":  noAtomics,
	"RMA-6":  noAtomics,
	"RMA-7":  noAtomics,
	"RMA-8":  noAtomics,
	"RMA-9":  noAtomics,
	"RMA-10": noAtomics,
	"RMA-12": callers + ": the requester's depth is at most the responder's",
	"RMA-16": noUC,
	"RMA-17": noUC,
	"RMA-19": "messages of 2 GiB take too long",

	"WC-1":  permits,
	"WC-6":  noUD + ", and on RC devices differ",
	"WC-7":  noMW,
	"WC-9":  noUD + " and no checksum offload",
	"WC-10": permits,

	"ERR-3":  noMW + "; see SND-2 for operations that RC lacks",
	"ERR-16": noMW,
	"ERR-17": noMW,
	"ERR-23": "every status that comes is compared with the one expected",
	"ERR-24": ownOfRxe + "every status that comes is compared with the one expected",
	"ERR-26": "the exact statuses are asserted, with quirks where they differ",

	"DIO-1":  "what the answer is about shows in DIO-10 only",
	"DIO-7":  callers + ": no other operation is asked about",
	"DIO-9":  ownOfRxe + "DIO-2 asserts it as a quirk",
	"DIO-10": "it needs a reader that spins while data comes: --verify of the programs, on two hosts",
	"DIO-11": "it is about versions of libibverbs: the backend's own tests",
}
