package cli

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/ibperf/ibperf/harness"
)

// field is a part of the plan that options decide: what both sides must agree
// on. Options that exclude each other belong to one field.
type field struct {
	name    string // on the wire
	options []string
	show    func(p *harness.Plan) string // as options
	take    func(to, from *harness.Plan)
}

// fields are all of them.
var fields = []field{
	{"size", []string{"size", "all"}, showSizes,
		func(to, from *harness.Plan) { to.Sizes = slices.Clone(from.Sizes) }},
	{"length", []string{"iters", "duration"}, showLength,
		func(to, from *harness.Plan) { to.Iterations, to.Duration = from.Iterations, from.Duration }},
	{"completion", []string{"completion", "events", "compare"}, showCompletion,
		func(to, from *harness.Plan) { to.Completion, to.Compare = from.Completion, from.Compare }},
	{"also", []string{"also"}, func(p *harness.Plan) string { return "--also " + strings.Join(p.Also, ",") },
		func(to, from *harness.Plan) { to.Also = slices.Clone(from.Also) }},
	{"touch", []string{"touch"}, func(p *harness.Plan) string { return "--touch " + string(p.Touch) },
		func(to, from *harness.Plan) { to.Touch = from.Touch }},
	{"precision", []string{"precision"}, func(p *harness.Plan) string { return fmt.Sprintf("--precision %g%%", p.Precision*100) },
		func(to, from *harness.Plan) { to.Precision = from.Precision }},
	length("time-limit", func(p *harness.Plan) *time.Duration { return &p.TimeLimit }),
	length("latency_gap", func(p *harness.Plan) *time.Duration { return &p.Gap }),
	number("rounds", func(p *harness.Plan) *int { return &p.Rounds }),
	number("runs", func(p *harness.Plan) *int { return &p.Runs }),
	number("mtu", func(p *harness.Plan) *int { return &p.MTU }),
	number("inline_size", func(p *harness.Plan) *int { return &p.Inline }),
	number("offset", func(p *harness.Plan) *int { return &p.Offset }),
	number("tx-depth", func(p *harness.Plan) *int { return &p.TxDepth }),
	number("rx-depth", func(p *harness.Plan) *int { return &p.RxDepth }),
	number("qp", func(p *harness.Plan) *int { return &p.QPs }),
	number("cq-mod", func(p *harness.Plan) *int { return &p.CQMod }),
	toggle("verify", func(p *harness.Plan) *bool { return &p.Verify }),
	toggle("noPeak", func(p *harness.Plan) *bool { return &p.NoPeak }),
	toggle("rdma_cm", func(p *harness.Plan) *bool { return &p.RDMACM }),
	toggle("disable_pcie_relaxed", func(p *harness.Plan) *bool { return &p.StrictPCIe }),
	toggle("force-data", func(p *harness.Plan) *bool { return &p.ForceData }),
}

// number is a field of one option with a number.
func number(option string, in func(*harness.Plan) *int) field {
	return field{option, []string{option},
		func(p *harness.Plan) string { return "--" + option + " " + strconv.Itoa(*in(p)) },
		func(to, from *harness.Plan) { *in(to) = *in(from) }}
}

// length is a field of one option with a time.
func length(option string, in func(*harness.Plan) *time.Duration) field {
	return field{option, []string{option},
		func(p *harness.Plan) string { return "--" + option + " " + in(p).String() },
		func(to, from *harness.Plan) { *in(to) = *in(from) }}
}

// toggle is a field of one option without an argument.
func toggle(option string, in func(*harness.Plan) *bool) field {
	return field{option, []string{option},
		func(p *harness.Plan) string {
			if *in(p) {
				return "--" + option
			}
			return "--" + option + "=false"
		},
		func(to, from *harness.Plan) { *in(to) = *in(from) }}
}

func showSizes(p *harness.Plan) string {
	if slices.Equal(p.Sizes, harness.AllSizes()) {
		return "--all"
	}
	var texts []string
	for _, s := range p.Sizes {
		texts = append(texts, strconv.Itoa(s))
	}
	return "--size " + strings.Join(texts, ",")
}

func showLength(p *harness.Plan) string {
	if p.Duration > 0 {
		return "--duration " + strconv.FormatFloat(p.Duration.Seconds(), 'f', -1, 64)
	}
	return "--iters " + strconv.FormatUint(p.Iterations, 10)
}

func showCompletion(p *harness.Plan) string {
	if p.Compare {
		return "--compare"
	}
	return "--completion " + string(p.Completion)
}

// givenFields names the fields of which an option is on the command line.
func givenFields(f *flags) []string {
	var names []string
	for _, field := range fields {
		if slices.ContainsFunc(field.options, f.given) {
			names = append(names, field.name)
		}
	}
	return names
}
