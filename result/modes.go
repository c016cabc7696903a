package result

import (
	"fmt"
	"slices"

	"github.com/ibperf/ibperf/option"
)

// ModeOrder is the order of the completion modes in every table and plot.
var ModeOrder = option.Modes()

// BaseMode is the mode that other modes are compared with.
const BaseMode = option.ModePoll

// BaseName is the name of the rows of [BaseMode].
const BaseName = string(BaseMode)

// KnownMode reports whether mode is one of [ModeOrder].
func KnownMode(mode option.Mode) bool { return slices.Contains(ModeOrder, mode) }

// NameOrder is the order of all names of rows: each mode and its variants, then controls.
var NameOrder = nameOrder()

func nameOrder() (all []string) {
	variants := slices.Concat([]option.Variant{""}, option.Variants(), []option.Variant{option.VariantSameCPU})
	for _, mode := range ModeOrder {
		for _, variant := range variants {
			all = append(all, (&Row{Mode: mode, Variant: variant}).Name())
		}
	}
	for _, mode := range ModeOrder {
		all = append(all, (&Row{Mode: mode, Variant: option.VariantControl}).Name())
	}
	return all
}

// Name returns the mode with its variant: "data", "poll+relaxed", "poll (control)".
func (r *Row) Name() string {
	switch r.Variant {
	case "":
		return string(r.Mode)
	case option.VariantControl:
		return fmt.Sprintf("%s (%s)", r.Mode, r.Variant)
	}
	return fmt.Sprintf("%s+%s", r.Mode, r.Variant)
}

// OneCPU reports whether the measuring threads of both sides were kept on one CPU.
func (r *Row) OneCPU() bool { return r.Variant == option.VariantSameCPU }

// Base returns the name of the row that this row is compared with: a variant with its mode, a mode
// with [BaseMode].
func (r *Row) Base() string {
	if r.Variant != "" {
		return string(r.Mode)
	}
	return BaseName
}

// ForcedMark returns "!" for mode data without the device's promise, else "".
func (r *Row) ForcedMark() string {
	if r.Forced {
		return "!"
	}
	return ""
}

// ModeMark returns the name as tables of rows print it.
func (r *Row) ModeMark() string { return r.Name() + r.ForcedMark() }

// ModeName returns the full name, for plots and warnings.
func (r *Row) ModeName() string {
	if r.Forced {
		return r.Name() + " (forced, unsafe)"
	}
	return r.Name()
}
