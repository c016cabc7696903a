package option

import "slices"

// ConformProgram is the name of the program that runs the conformance suite.
const ConformProgram = "ib_conform"

// ConformExitStatus says what its exit statuses mean, in their order. Empty ones are those of
// other programs.
var ConformExitStatus = []string{
	"every statement that was run holds, or differs as a quirk says or as hardware may",
	"interrupted, output not written, or anything not below",
	"options wrong, or devices that cannot reach each other",
	"no usable device, here or at the server, no permission, or a device without RC, which is held to no statement",
	"peer unreachable, lost or timed out, or its messages wrong",
	"", "", "",
	"a statement does not hold",
}

const groupStatements = "Statements"

// conformOptions are those that ib_conform alone has.
var conformOptions = []*Option{
	{
		Name: "loopback", Group: groupStatements, Whose: Client, Only: noTest,
		Help:  "without a server: second processes run on this host, too",
		value: toggle(func(s *Settings) *bool { return &s.Own.Loopback }),
	}, {
		Name: "run", Argument: "REGEXP", Group: groupStatements, Whose: Client, Only: noTest,
		Help: "the statements whose whole id matches, such as 'CQ-.*|MR-24'", Default: "all",
		value: text(func(s *Settings) *string { return &s.Own.Run }, nil),
	}, {
		Name: "quirks", Argument: "FILE", Group: groupStatements, Whose: Client, Only: noTest,
		Help:  "a file of quirks of the device, beside those that are known; the man page has its format",
		value: text(func(s *Settings) *string { return &s.Own.Quirks }, nil),
	}, {
		Name: "may-crash", Group: groupStatements, Whose: Client, Only: noTest,
		Help:  "run on an RDMA device although a faulty driver or firmware may crash the host",
		value: toggle(func(s *Settings) *bool { return &s.Own.MayCrash }),
	}, {
		Name: "list", Group: groupStatements, Whose: Client, Only: noTest,
		Help:  "print the statements with their sources, and run nothing",
		value: toggle(func(s *Settings) *bool { return &s.Own.List }),
	},
}

// conformShares are options of the tests that ib_conform has too.
var conformShares = []string{
	"port", "bind_source_ip", "connect-timeout", "ready-file", "secret-file",
	"ib-dev", "ib-port", "gid-index", "out_json", "out_json_file", "help", "version",
}

// InConform tells whether ib_conform has the option.
func (o *Option) InConform() bool {
	return slices.Contains(conformOptions, o) || slices.Contains(conformShares, o.Name)
}

// ConformHelp is [Option.HelpText] for ib_conform.
func (o *Option) ConformHelp() string {
	switch {
	case o.Name == "out_json_file":
		return o.helpText(ConformProgram + ".json")
	case o.Group != groupStatements:
		return o.HelpText(Test{})
	case o.Default != "":
		return o.Help + " (default " + o.Default + ")"
	}
	return o.Help // without "client": with --loopback there is none
}

// ConformManPage returns the man page of ib_conform.
func ConformManPage(release string) string {
	m := manual{
		name: ConformProgram, does: "holds an RDMA device to the semantics of libibverbs",
		text: "It runs the statements of a conformance suite on a device and says which hold. " +
			"QPs of the device are connected with each other. A few statements need a second process: with --loopback it runs on this host, " +
			"else with the server at HOST. Without a host and --loopback the program is that server. The statements make every error " +
			"that a caller can make, and a faulty driver or firmware may crash the host: do not run it where that matters. " +
			"A statement that crashes or does not end differs, and the rest goes on.",
		also: "--loopback", has: (*Option).InConform, help: (*Option).ConformHelp, statuses: ConformExitStatus,
		more: "A quirk is a paragraph of lines: quirk: ID; device: patterns of names or kernel drivers; kernel: from VERSION below VERSION (optional); " +
			"statements: those that know the quirk by its id and assert what the device does instead; fails: those that are known to fail; " +
			"does: what the device does instead; source: where that can be read. A quirk that is gone makes its statement differ.",
		example: "--may-crash -d mlx5_0 node1", see: "ibv_poll_cq (3),\n.BR ibv_modify_qp (3)",
	}
	return m.page(release)
}
