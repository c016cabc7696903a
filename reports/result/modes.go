package result

import "slices"

// ModeOrder is the order of the completion modes in every table and plot.
var ModeOrder = []string{"data", "poll", "event"}

// BaseMode is what the other modes are compared with.
const BaseMode = "poll"

// KnownMode reports whether mode is one of [ModeOrder].
func KnownMode(mode string) bool { return slices.Contains(ModeOrder, mode) }

// ForcedMark marks what data mode measured without the device's promise.
func (r *Row) ForcedMark() string {
	if r.Forced {
		return "!"
	}
	return ""
}

// ModeMark is the mode as tables name it.
func (r *Row) ModeMark() string { return r.Mode + r.ForcedMark() }

// ModeName is the mode in full, as plots and warnings name it.
func (r *Row) ModeName() string {
	if r.Forced {
		return r.Mode + " (forced, unsafe)"
	}
	return r.Mode
}
