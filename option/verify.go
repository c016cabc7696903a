package option

import (
	"slices"
	"time"
)

// VerifyProgram is the name of the program that checks the order of data for a long time.
const VerifyProgram = "ib_verify"

// Defaults of ib_verify alone.
const (
	VerifyDuration = time.Minute // of all checks
	VerifyFolder   = "ib_verify.out"
)

// VerifySizes returns the default message sizes of ib_verify: a marker alone, one block, several blocks, and
// several packets.
func VerifySizes() []int { return []int{8, 128, 4096, 65536} }

// VerifyExitStatus has the meaning of the exit statuses of ib_verify, in their order.
var VerifyExitStatus = append(slices.Clone(ExitStatus[:6]), "the device promises data order for no operation")

// verifyOptions are those that ib_verify alone has.
var verifyOptions = []*Option{
	{
		Name: "resume", Group: groupLength, Scope: Client, Only: noTest,
		Help:  "continue the checks of the journal in the folder of --dir, with its options; also after a crash of either side",
		value: toggle(func(s *Settings) *bool { return &s.Own.Resume }),
	},
}

// verifyShares are the options of other programs that ib_verify has too.
var verifyShares = []string{
	"port", "bind_source_ip", "connect-timeout", "persistent", "ready-file", "secret-file", "max-memory", "max-qp", "max-time",
	"ib-dev", "ib-port", "gid-index", "pin_cores", "numa_node",
	"connection", "size", "qp", "mtu", "tx-depth", "duration", "force-data",
	"dir", "bundle", "help", "version",
}

// InVerify reports whether ib_verify has the option.
func (o *Option) InVerify() bool {
	return slices.Contains(verifyOptions, o) || slices.Contains(verifyShares, o.Name)
}

// VerifySettings returns the settings of an empty command line of ib_verify. The plan is that of its WRITEs.
func VerifySettings() Settings {
	s := New(Test{Op: OpWrite, Kind: KindBandwidth})
	s.Sizes, s.Duration, s.Own.Folder = VerifySizes(), VerifyDuration, VerifyFolder
	s.Both, s.Verify, s.Completion, s.PostList = true, true, ModeAuto, 0
	return s
}

// VerifyHelp is [Option.HelpText] for ib_verify.
func (o *Option) VerifyHelp() string {
	s := VerifySettings()
	switch o.Name {
	case "size":
		return o.withDefault(o.Help, o.Text(&s))
	case "duration":
		return o.withDefault("check for TIME in all, in seconds or with a unit such as 12h or 3d", o.Text(&s))
	case "dir":
		return o.withDefault("write journal and report into DIR", o.Text(&s))
	case "bundle":
		return o.withDefault("also pack journal, report and capabilities of both devices into one .tar.gz file with a SHA-256 of each; "+
			"it contains the names and addresses of both hosts", "")
	case "connection":
		return o.withDefault("transport of the QPs: RC, UC, XRC or, on EFA, SRD", o.Text(&s))
	case "resume":
		return o.Help // without "client: ", as the server needs no options
	}
	return o.HelpText(s.Test)
}
