package result

import (
	"maps"
	"strings"

	"github.com/ibperf/ibperf/option"
)

// RoundTrip reports whether the latency of an operation is a full round trip.
func RoundTrip(op option.Op) bool { return op.Fetches() }

// MainField returns the field of the number that a test is run for.
func MainField(kind option.Kind) string {
	if kind == option.KindBandwidth {
		return "bandwidth.average_bytes_per_s"
	}
	return "latency"
}

// Definition returns the definition of a field from the file, or the present one if the file has
// none.
func (f *File) Definition(field string) string {
	name := field[strings.LastIndex(field, ".")+1:] // version 1 has no paths
	for _, text := range []string{f.Definitions[field], f.Definitions[name]} {
		if text != "" {
			return text
		}
	}
	return DefinitionsFor(f.Kind, f.Op)[field]
}

// DefinitionsFor returns the definition of each field in a result file of that kind and operation.
func DefinitionsFor(kind option.Kind, op option.Op) map[string]string {
	defs := map[string]string{}
	parameters, _ := option.Definitions()
	for name, text := range parameters {
		defs["parameters."+name] = text
	}
	maps.Copy(defs, buildDefinitions)
	for _, c := range columns {
		if c.Kind == "" || c.Kind == kind {
			defs[c.Field] = c.Definition
		}
	}
	switch {
	case kind == option.KindLatency && RoundTrip(op):
		defs["latency"], defs["latency.factor"] = fullTripDefinition, fullFactorDefinition
	case kind == option.KindBandwidth && RoundTrip(op):
		defs[MainField(kind)] = readRateDefinition
	}
	return defs
}

// DefinitionsOf returns the definition of each field in the result file of a plan.
func DefinitionsOf(p *option.Plan) map[string]string {
	defs := DefinitionsFor(p.Kind, p.Op)
	if p.OpenLoop() {
		defs["latency"], defs["latency.factor"] = responseDefinition, fullFactorDefinition
	}
	return defs
}

// buildDefinitions defines the members of build, by their path.
var buildDefinitions = map[string]string{
	"build.version":  "version of the ibperf module: a release as v0.2.0, a pseudo-version of a revision, or (devel)",
	"build.revision": "revision of the repository that ibperf was built in; empty if unknown, as for a release that was installed by its version",
	"build.modified": "whether files of the repository differed from the revision",
}

// UnitsFor returns the unit of each number in a result file of that kind, by field.
func UnitsFor(kind option.Kind) map[string]string {
	all := map[string]string{}
	_, parameters := option.Definitions()
	for name, unit := range parameters {
		all["parameters."+name] = unit
	}
	for _, c := range columns {
		if c.Unit != "" && (c.Kind == "" || c.Kind == kind) {
			all[c.Field] = c.Unit
		}
	}
	return all
}

const (
	halfTripDefinition   = "half of the round trip of a ping-pong, measured between successive posts of the same side"
	fullTripDefinition   = "the full round trip, measured from the post to the detection of the response"
	responseDefinition   = "the response time: from the time at which a message was due by rate_limit to the detection of its answer or response, by the client's clock, a full round trip"
	halfFactorDefinition = "recorded times are multiplied by 0.5: the latency is half of a round trip"
	fullFactorDefinition = "recorded times are multiplied by 1: the latency is a full round trip"
	rateDefinition       = "at the sender: bytes / (last send completion polled - first post); at the receiver: bytes of the messages after the first ones detected / (last arrival detected - first arrival detected)"
	readRateDefinition   = "at the requester: bytes / (last arrival detected, in data mode, or last completion polled - first post)"
	rateDefinedUnit      = "bytes/s; printed as Gb/s (10^9 bits); in perftest's columns without --report_gbits as MiB/s (2^20 bytes)"
)

func yesNo(b bool) string {
	if b {
		return "yes"
	}
	return "no"
}
