package option

import "errors"

// The help texts of options that tests explain differently. Each returns the text for a test.

func qpHelp(t Test) string {
	switch {
	case t.Bandwidth():
		return "number of QPs"
	case t.Fetches():
		return "number of QPs; this test has one for each thread"
	}
	return "number of QPs; the messages of a thread rotate over its QPs, and the receiver polls each of them"
}

func connectionHelp(t Test) string {
	switch t.Op {
	case OpWrite:
		return "transport of the QPs: RC, UC, XRC or, on EFA, SRD; messages that UC loses are counted, except plain WRITEs"
	case OpSend:
		return "transport of the QPs: RC, UC, UD, XRC or, on EFA, SRD; messages that UC and UD lose are counted"
	case OpRead:
		return "transport of the QPs: RC, XRC or, on EFA, SRD"
	}
	return "transport of the QPs: RC or XRC"
}

// ArgumentOf returns the name of the argument in the help text of a test: of --connection the transports that the
// test has, as perftest writes them, else [Option.Argument].
func (o *Option) ArgumentOf(t Test) string {
	if o.Name != "connection" {
		return o.Argument
	}
	switch t.Op {
	case OpWrite:
		return "RC/UC/XRC/SRD"
	case OpRead:
		return "RC/XRC/SRD"
	case OpAtomic:
		return "RC/XRC"
	}
	return "RC/UC/UD/XRC/SRD"
}

func helpHelp(Test) string { return "print this text; --help=all explains all options" }

func txDepthHelp(t Test) string {
	if t.Bandwidth() {
		return "send queue depth, at most the number of messages"
	}
	return "minimum depth of the send queue; with --rate_limit also the largest number of unanswered messages, 128 in place of 1; otherwise one message is in flight"
}

func reversedHelp(t Test) string {
	switch t.Op {
	case OpRead:
		return "the server posts READs instead of the client"
	case OpAtomic:
		return "the server posts atomic operations instead of the client"
	}
	return "the server sends instead of the client"
}

func inlineHelp(t Test) string {
	switch t.Op {
	case OpRead:
		return "no effect: READs are never sent inline"
	case OpAtomic:
		return "no effect: atomic operations are never sent inline"
	}
	return "largest message that is sent inline"
}

func noPeakHelp(t Test) string {
	const when = "read the clock only at start and end, and with --duration after each 1024 messages or 64 MiB; "
	if t.Bandwidth() {
		return when + "only the average is reported"
	}
	return when + "only the mean is reported"
}

func relaxedHelp(t Test) string {
	if t.Bandwidth() {
		return "register memory without PCIe relaxed ordering, which modes poll, adaptive and event otherwise request; mode data and comparisons never request it"
	}
	return "no effect: latency tests register memory without PCIe relaxed ordering, except for --also relaxed"
}

func outputHelp(t Test) string {
	if t.Bandwidth() {
		return "print only one number for each size: bandwidth or message_rate (average, in the unit of the text)"
	}
	return "print only latency for each size (mean, in usec)"
}

// Help selects what --help prints.
type Help int

// The values of --help.
const (
	NoHelp    Help = iota
	ShortHelp      // the options that most runs need
	FullHelp       // all options
)

func (h Help) text() string { return [...]string{"false", "true", "all"}[h] }

// parseHelp parses the argument of --help, which is "true" without one.
func parseHelp(text string) (Help, error) {
	for _, h := range []Help{NoHelp, ShortHelp, FullHelp} {
		if h.text() == text {
			return h, nil
		}
	}
	return NoHelp, errors.New("it takes no argument except =all and =false")
}
