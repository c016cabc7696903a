package verdict

import (
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/ibperf/ibperf/internal/printable"
	"github.com/ibperf/ibperf/option"
	"github.com/ibperf/ibperf/result"
)

// next returns the next command to run: the one that removes the worst doubt.
func (f *findings) next(b *Brief) Next {
	has := func(match func(a Action) bool) bool { return slices.ContainsFunc(b.Actions, match) }
	because := func(reason string) bool { return has(func(a Action) bool { return a.Reason == reason }) }
	run := f.compared[0]
	device := "-d " + clientOf(run).Device.Name
	switch {
	case f.checks.bad():
		wrong := f.wrongRun()
		return Next{"to check again", command(wrong, wrong.Parameters.Program(), "-d "+clientOf(wrong).Device.Name, wrongMode(wrong), "--verify")}
	case b.NoVerdict != nil:
		program, options := run.Program, []string{device}
		switch {
		case run.Comparison != nil:
			program = option.CompareProgram
		case run.Parameters.Compare:
			options = append(options, "--compare")
		}
		return Next{"to measure again", fitting(again(run), command(run, program, options...))}
	case !slices.ContainsFunc(f.compared, func(f *result.File) bool { return f.Comparison != nil }):
		return Next{"for all operations, with checks", command(run, option.CompareProgram, device)}
	case slices.ContainsFunc(b.Devices, func(d Device) bool { return d.Software != "" }):
		return Next{"on hardware; start " + option.CompareProgram + " on HOST first", option.CompareProgram + " HOST"}
	case because(reasonUnclear):
		return Next{"for clear figures", command(run, option.CompareProgram, device, "--runs "+strconv.Itoa(2*max(run.Parameters.Runs, option.CompareRuns)))}
	case because(reasonFaster):
		test := option.Test{Op: b.Actions[slices.IndexFunc(b.Actions, func(a Action) bool { return a.Reason == reasonFaster })].Op, Kind: option.KindBandwidth}
		return Next{"to check the promise for an hour", command(run, test.Program(), device, "--completion data", "--verify", "-D 3600")}
	}
	return Next{"for what the device promises", command(nil, "ib_caps", device)}
}

// nextLine returns the line about the next command.
func (n Next) line() Line {
	const room = MaxWidth - labelWidth
	return Line{"next", "Next", fits(room, n.Command+"   "+n.Why, n.Command)}
}

// clientOf returns the client's side of a run.
func clientOf(f *result.File) *result.Side {
	if f.Role == "server" {
		return &f.Peer
	}
	return &f.Local
}

// serverHost returns the name of the server's host.
func serverHost(f *result.File) string {
	if f.Role == "server" {
		return f.Local.Host
	}
	return f.Peer.Host
}

// command returns a command line of a program of ibperf. If there is a run, it has the options of that run that
// decide what is sent, and the server's host.
func command(f *result.File, program string, options ...string) string {
	words := []string{program}
	if f != nil {
		if dir := filepath.Dir(strings.Join(f.Command[:min(1, len(f.Command))], "")); dir != "." {
			words[0] = filepath.Join(dir, program)
		}
		if t := f.Parameters.Transport; t != option.RC && t != "" {
			options = append(options, "-c "+string(t))
		}
		if r := f.Parameters.Routing; r != option.RoutingUnknown && r != "" {
			options = append(options, "--adaptive-routing "+string(r))
		}
		options = append(options, serverHost(f))
	}
	for _, o := range options {
		if o != "" {
			words = append(words, o)
		}
	}
	return printable.Clean(strings.Join(words, " "))
}

// fitting returns the first command line if it fits on a line, else the second.
func fitting(first, second string) string {
	if first != "" && width(first) <= MaxWidth-labelWidth {
		return first
	}
	return second
}

// again returns the command line of a run.
func again(f *result.File) string { return printable.Clean(strings.Join(f.Command, " ")) }

// wrongRun returns a run that found wrong data.
func (f *findings) wrongRun() *result.File {
	for _, run := range f.runs {
		if wrongMode(run) != "" {
			return run
		}
	}
	return f.runs[0]
}

// wrongMode returns the option for the mode in which a run found wrong data, or "".
func wrongMode(f *result.File) string {
	for _, r := range f.Rows {
		if r.Verify != nil && r.Verify.Bad() > 0 {
			if r.Forced {
				return "--completion data --force-data"
			}
			return "--completion " + string(r.Mode)
		}
	}
	return ""
}
