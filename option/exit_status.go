package option

import (
	"slices"
	"strings"
)

// ExitStatus has the meaning of the programs' exit statuses, in their order.
var ExitStatus = []string{
	"the run was done and every check held",
	"any other failure, including interruption",
	"wrong options, or options that conflict with the peer's",
	"no usable device, here or at the server, or no permission",
	"peer unreachable, lost or timed out, or it sent a malformed message",
	"a check of the bytes found wrong data",
	"completion mode refused: the device does not promise what it needs",
	"a figure missed a limit", // which options they are, ExitStatusOf says
	"",                        // of ib_conform
	"NO VERDICT: the client's comparison was too short or too disturbed; it wrote all files",
}

// ExitStatusOf returns the exit statuses of a program, in their order; empty for those that it never has.
func ExitStatusOf(has func(*Option) bool) []string {
	all := slices.Clone(ExitStatus)
	var limits, causes []string
	for _, name := range limitOptions {
		if has(Find(name)) {
			limits = append(limits, "--"+name)
		}
	}
	if limits != nil {
		causes = append(causes, all[statusLimit]+": "+choice(limits))
	}
	if has(Find("against")) {
		causes = append(causes, "this build is slower than that of --against")
	}
	all[statusLimit] = strings.Join(causes, "; or ")
	return all
}

// limitOptions are the options with limits of figures, and statusLimit is the exit status if a figure misses one.
var limitOptions = []string{"limit_bw", "limit_msgrate", "min-bw", "max-lat", "max-busy"}

const statusLimit = 7
