package option

import "slices"

// ConformProgram is the name of the program that runs the conformance suite.
const ConformProgram = "ib_conform"

// ConformExitStatus has the meaning of its exit statuses, in their order; empty for statuses of other
// programs.
var ConformExitStatus = []string{
	"every statement that was run holds, or differs in a way that a quirk or the specification allows",
	"any other failure, including interruption",
	"wrong options, or devices that cannot reach each other",
	"no usable device, here or at the server, or no permission",
	"peer unreachable, lost or timed out, or it sent a malformed message",
	"", "", "",
	"a statement does not hold",
}

// conformOptions are those that ib_conform alone has.
var conformOptions = []*Option{
	{
		Name: "loopback", Group: groupStatements, Scope: Client, Only: noTest,
		Help:  "run without a server: peer processes run on this host too",
		value: toggle(func(s *Settings) *bool { return &s.Own.Loopback }),
	}, {
		Name: "run", Argument: "REGEXP", Group: groupStatements, Scope: Client, Only: noTest,
		Help: "run the statements whose whole id matches, such as 'CQ-.*|MR-24'", Default: "all",
		value: text(func(s *Settings) *string { return &s.Own.Run }, nil),
	}, {
		Name: "quirks", Argument: "FILE", Group: groupStatements, Scope: Client, Only: noTest,
		Help:  "file with quirks of the device, in addition to the built-in ones; docs/CONFORMANCE.md has its format",
		value: text(func(s *Settings) *string { return &s.Own.Quirks }, nil),
	}, {
		Name: "may-crash", Group: groupStatements, Scope: Client, Only: noTest,
		Help:  "run on an RDMA device although a faulty driver or firmware may crash the host",
		value: toggle(func(s *Settings) *bool { return &s.Own.MayCrash }),
	}, {
		Name: "list", Group: groupStatements, Scope: Client, Only: noTest,
		Help:  "print the statements with their sources, and run nothing",
		value: toggle(func(s *Settings) *bool { return &s.Own.List }),
	},
}

// conformShares are the options of the tests that ib_conform has too.
var conformShares = []string{
	"port", "bind_source_ip", "connect-timeout", "ready-file", "secret-file",
	"ib-dev", "ib-port", "gid-index", "out_json", "out_json_file", "help", "version",
}

// InConform reports whether ib_conform has the option.
func (o *Option) InConform() bool {
	return slices.Contains(conformOptions, o) || slices.Contains(conformShares, o.Name)
}

// ConformHelp is [Option.HelpText] for ib_conform.
func (o *Option) ConformHelp() string {
	switch {
	case o.Name == "out_json_file":
		return o.withDefault(o.Help, ConformProgram+".json")
	case o.Group != groupStatements:
		return o.HelpText(Test{})
	case o.Default != "":
		return o.Help + " (default " + o.Default + ")"
	}
	return o.Help // without "client: ", as --loopback has no client
}
