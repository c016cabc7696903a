package result

import "slices"

// ModeOrder is the order of the completion modes in every table and plot.
var ModeOrder = []string{"data", "poll", "event"}

// BaseMode is what the other modes are compared with.
const BaseMode = "poll"

// KnownMode reports whether mode is one of [ModeOrder].
func KnownMode(mode string) bool { return slices.Contains(ModeOrder, mode) }

// variantOrder is the order of the variants of a mode, the mode as it is first.
var variantOrder = []string{"", VariantRelaxed, VariantLook, VariantControl}

// NameOrder is the order of all names that rows may have.
var NameOrder = nameOrder()

func nameOrder() (all []string) {
	for _, mode := range ModeOrder {
		for _, variant := range variantOrder {
			all = append(all, (&Row{Mode: mode, Variant: variant}).Name())
		}
	}
	return all
}

// Name is the mode with its variant: "data", "poll+relaxed", "data (control)".
func (r *Row) Name() string {
	switch r.Variant {
	case "":
		return r.Mode
	case VariantControl:
		return r.Mode + " (" + r.Variant + ")"
	}
	return r.Mode + "+" + r.Variant
}

// Base is the name of what the row is compared with: a variant with its mode as it is,
// a mode with [BaseMode].
func (r *Row) Base() string {
	if r.Variant != "" {
		return r.Mode
	}
	return BaseMode
}

// ForcedMark marks what data mode measured without the device's promise.
func (r *Row) ForcedMark() string {
	if r.Forced {
		return "!"
	}
	return ""
}

// ModeMark is the name as rows of a table have it.
func (r *Row) ModeMark() string { return r.Name() + r.ForcedMark() }

// ModeName is the name in full, as plots and warnings have it.
func (r *Row) ModeName() string {
	if r.Forced {
		return r.Name() + " (forced, unsafe)"
	}
	return r.Name()
}
