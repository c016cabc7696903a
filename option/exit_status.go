package option

import "slices"

// ExitStatus has the meaning of the programs' exit statuses, in their order.
var ExitStatus = []string{
	"the run was done and every check held",
	"any other failure, including interruption",
	"wrong options, or options that conflict with the peer's",
	"no usable device, here or at the server, or no permission",
	"peer unreachable, lost or timed out, or it sent a malformed message",
	"a check of the bytes found wrong data",
	"completion mode refused: the device does not promise what it needs",
	"a figure was below --limit_bw or --limit_msgrate",
	"", // of ib_conform
	"NO VERDICT: the client's comparison was too short or too disturbed; it wrote all files",
}

// ExitStatusOf returns the exit statuses of a program, in their order; empty for those that it never has.
func ExitStatusOf(has func(*Option) bool) []string {
	all := slices.Clone(ExitStatus)
	if !has(Find("limit_bw")) {
		all[statusLimit] = ""
	}
	return all
}

// statusLimit is the exit status of figures below a limit.
const statusLimit = 7
