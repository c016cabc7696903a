package oob

import (
	"bufio"
	"bytes"
	"fmt"
	"strconv"
	"strings"
)

// preambleSize is the number of bytes that each side of a connection sends first. It is the size of
// perftest's first message, its version: a text whose rest is zeros, of which perftest reads no more than
// the number. The preamble of ibperf begins with such a text, and has the magic and the version of ibperf's protocol
// where perftest has zeros. So each side recognizes the other from its first message.
const preambleSize = 16

// announced is the version that the preamble announces to perftest: the latest one whose messages do not
// depend on how perftest was built.
const announced = "6.06"

// preamble is the first message of a side.
type preamble struct {
	perftest string // version of perftest; empty: the side is ibperf
	version  byte   // of ibperf's protocol
}

// appendTo appends the wire form.
func (p preamble) appendTo(b []byte) []byte {
	var m [preambleSize]byte
	if p.perftest != "" {
		copy(m[:], p.perftest)
		return append(b, m[:]...)
	}
	at := copy(m[:], announced) + 1
	at += copy(m[at:], magic)
	m[at] = p.version
	return append(b, m[:]...)
}

// readPreamble reads the peer's first message. It checks the bytes as they arrive: a peer that is
// neither ibperf nor perftest may send less than a preamble and then wait for an answer. Its error is a
// versionError if the peer is an ibperf without preambles.
func readPreamble(r *bufio.Reader) (preamble, error) {
	for n := 1; ; n++ {
		b, err := r.Peek(n)
		switch {
		case err != nil && n == 1:
			return preamble{}, err
		case err != nil:
			return preamble{}, midFrame(err)
		case b[0] == magic[0]:
			return preamble{}, meetFrame(r)
		}
		p, ok := parsePreamble(b)
		if !ok {
			return preamble{}, protocolErrorf("received %q; run ibperf on both sides", peekShown(r))
		}
		if n == preambleSize {
			_, _ = r.Discard(n) // does not fail on bytes that Peek has returned
			return p, nil
		}
	}
}

// meetFrame returns the error of a peer that begins with a frame, as an ibperf without preambles does.
func meetFrame(r *bufio.Reader) error {
	if err := peekStart(r); err != nil {
		return err
	}
	return protocolErrorf("received a frame before its preamble")
}

// parsePreamble parses a preamble or its first bytes, and reports whether they can be one.
func parsePreamble(b []byte) (p preamble, ok bool) {
	text, rest, whole := bytes.Cut(b, []byte{0})
	if !mayBeVersion(string(text), whole) {
		return p, false
	}
	if head := min(len(rest), len(magic)); head > 0 && string(rest[:head]) == magic[:head] {
		if len(rest) > len(magic) {
			p.version = rest[len(magic)]
		}
		return p, true
	}
	p.perftest = string(text)
	return p, len(bytes.Trim(rest, "\x00")) == 0
}

// mayBeVersion reports whether a text, or its beginning, is a number such as 6.06.
func mayBeVersion(text string, whole bool) bool {
	left, right, dot := strings.Cut(text, ".")
	digits := func(s string) bool { return strings.Trim(s, "0123456789") == "" }
	return len(text) < 8 && left != "" && digits(left) && digits(right) && (!whole || dot && right != "")
}

// exchangePreambles sends this side's preamble and returns the peer's: the client sends first.
func (g *greeting) exchangePreambles() (preamble, error) {
	send := func(p preamble) error {
		_, err := g.nc.Write(p.appendTo(nil))
		return err
	}
	if g.role == roleClient {
		sendErr := send(preamble{version: version})
		theirs, err := readPreamble(g.in)
		g.answered = g.in.Buffered() > 0 || err == nil
		if err == nil {
			err = sendErr
		}
		return theirs, err
	}
	theirs, err := readPreamble(g.in)
	if err == nil && theirs.perftest == "" {
		err = send(preamble{version: version})
	}
	return theirs, err
}

// askVersion sends the hello of an ibperf without preambles, whose servers close when they receive a preamble.
// Its error is a versionError if the server is one, and never nil.
func (g *greeting) askVersion() error {
	_ = g.send(newHello(roleClient, nil).frame()) // the answer, or its absence, says more
	if _, err := g.receiveHello(); err != nil {
		return err
	}
	return protocolErrorf("received a hello without a preamble")
}

// alwaysPlans is the version of perftest that sends and expects a plan whatever version its peer announces.
const alwaysPlans = "6.28"

// meetPerftest accepts a perftest. A client that sends its plan if the server announces the same version gets its
// own version as the answer.
func (g *greeting) meetPerftest(theirs string) error {
	number, err := strconv.ParseFloat(theirs, 64)
	switch {
	case err != nil:
		return protocolErrorf("received version %q of perftest, which is not a number", theirs)
	case !g.perftest:
		return &perftestError{theirs, "; run ibperf on both sides"}
	case g.secret != nil:
		return &perftestError{theirs, ", which cannot prove that it has the secret: start this side without --secret-file"}
	case number < 5.70:
		return &perftestError{theirs, ", which refuses all later versions: update it to 5.70 or later"}
	case g.role == roleClient && theirs == alwaysPlans:
		return &perftestError{theirs, ", whose server waits for a message that other versions do not have, and whose length depends on how it was built: " +
			"run ibperf as the server and perftest as the client, or update perftest"}
	}
	g.theirs = theirs
	if g.role == roleClient {
		return nil
	}
	if !g.reserve() {
		return errFull
	}
	answer := preamble{perftest: announced}
	if number >= 6.28 {
		answer.perftest = theirs
	}
	_, err = g.nc.Write(answer.appendTo(nil))
	return err
}

// perftestError is the error of a peer that is perftest where only ibperf will do.
type perftestError struct{ version, why string }

func (e *perftestError) Error() string {
	return fmt.Sprintf("is perftest %s%s", e.version, e.why)
}

func (e *perftestError) Is(target error) bool { return target == ErrProtocol }
