package verbstest

// Reasons that several statements have.
const (
	noAPI     = "the API has no such call: "
	callers   = "a rule for callers, not for devices"
	permits   = "it permits, and asserts nothing"
	noSymbols = "it is about symbols of libibverbs: the backend's own tests"
	ownOfRxe  = "it describes soft RoCE alone; "
)

// leftOut holds the statements that the suite does not assert, with the reason.
var leftOut = map[string]string{
	"DEV-2":  "it needs a host without RDMA support in the kernel",
	"DEV-8":  noAPI + "query_device in addition to query_device_ex",
	"DEV-10": noAPI + "comp_mask of query_device_ex's input",
	"DEV-11": noAPI + "comp_mask of query_device_ex's attributes",
	"DEV-19": noAPI + "phys_port_cnt_ex",

	"PORT-4":  ownOfRxe + "its numbers are not promised",
	"PORT-12": "it would take the port down",

	"MR-5":  "memory of a Buffer can always be written",
	"MR-21": noAPI + "alloc_null_mr",

	"CQ-13": ownOfRxe + "CQ-12 asserts it as a quirk",
	"CQ-14": ownOfRxe + "it loses completions of receives silently",

	"SND-9":  "the API always passes both pointers",
	"SND-27": callers,

	"RMA-17": "it needs a network that loses packets",
	"RMA-19": "messages of 2 GiB take too long",

	"WC-1":  permits,
	"WC-10": permits,

	"ERR-17": "devices differ in which of two statuses they report",
	"ERR-24": ownOfRxe + "every status that occurs is compared with the one expected",

	"E-25": "it needs a host without RDMA support in the kernel",

	"ABI-1": noSymbols,
	"ABI-2": noSymbols,
	"ABI-3": noSymbols,
	"ABI-4": noSymbols,
	"ABI-5": "it is about what cgo compiles",

	"AEV-9": ownOfRxe + "AEV-5 to AEV-7 assert what it lacks as quirks",

	"DIO-9":  ownOfRxe + "DIO-2 asserts it as a quirk",
	"DIO-11": "it is about versions of libibverbs: the backend's own tests",

	"MC-16": noAPI + "create_flags of create_qp_ex",
}
