package reports

import "slices"

// ModeOrder is the order of the completion modes in every table and plot.
var ModeOrder = []string{"data", "poll", "event"}

// baseMode is what the other modes are compared with.
const baseMode = "poll"

func knownMode(mode string) bool { return slices.Contains(ModeOrder, mode) }

// forcedMark marks what data mode measured without the device's promise.
func forcedMark(r *Row) string {
	if r.Forced {
		return "!"
	}
	return ""
}

// modeMark is the mode as tables name it.
func modeMark(r *Row) string { return r.Mode + forcedMark(r) }

// ModeName is the mode in full, as plots and warnings name it.
func (r *Row) ModeName() string {
	if r.Forced {
		return r.Mode + " (forced, unsafe)"
	}
	return r.Mode
}
