package cli

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"unicode"

	"github.com/ibperf/ibperf/harness"
	"github.com/ibperf/ibperf/verbs"
)

// The steps in which client and server agree.
const (
	stepPlan   = "plan"   // the client's proposal; the server says nothing
	stepAnswer = "answer" // the server's answer; the client says nothing
)

// deviceID says of a device what the peer must know.
type deviceID struct {
	Name    string `json:"name"`
	Backend string `json:"backend"`
}

func identify(d verbs.Device) deviceID { return deviceID{d.Name(), d.Backend()} }

// embedded tells a device of ibperf's own from one of libibverbs.
func (d deviceID) embedded() bool { return d.Backend == embeddedBackend }

// proposal is what a client wants.
type proposal struct {
	Release string          `json:"release"`
	Program string          `json:"program"`
	Device  deviceID        `json:"device"`
	Given   []string        `json:"given"` // fields of the plan that were given explicitly
	Plan    json.RawMessage `json:"plan"`
}

// answer is what a server makes of it: a plan or a refusal.
type answer struct {
	Release string          `json:"release"`
	Device  deviceID        `json:"device"`
	Plan    json.RawMessage `json:"plan,omitempty"`
	Class   string          `json:"class,omitempty"`   // of the refusal, as [reason] tells it
	Refusal string          `json:"refusal,omitempty"` // its text
}

// maxName is the longest program, device or release name that a peer may have.
const maxName = 64

// parseProposal reads what a client sent. Its names go to terminals, so that
// they must be plain words. The plan is not looked at: another program or
// release may have other plans.
func parseProposal(data []byte) (proposal, error) {
	var p proposal
	if err := json.Unmarshal(data, &p); err != nil {
		return p, &peerFault{fmt.Errorf("read the client's proposal: %w", err)}
	}
	return p, checkNames("the client's proposal", p.Release, p.Program, p.Device.Name, p.Device.Backend)
}

// parseAnswer reads what a server answered.
func parseAnswer(data []byte) (answer, error) {
	var a answer
	if err := json.Unmarshal(data, &a); err != nil {
		return a, &peerFault{fmt.Errorf("read the server's answer: %w", err)}
	}
	a.Refusal = printable(a.Refusal)
	if a.Refusal != "" {
		return a, nil
	}
	return a, checkNames("the server's answer", a.Release, a.Device.Name, a.Device.Backend)
}

// parsePlan reads a plan of the peer and refuses one for another program.
func parsePlan(data []byte, s spec) (harness.Plan, error) {
	p, err := harness.ParsePlan(data)
	if err == nil && (p.Op != s.op || p.Kind != s.kind) {
		err = fmt.Errorf("plan for ib_%s_%s in %s", p.Op, p.Kind, s.program())
	}
	if err == nil && (p.Workers != 1 || p.Both) {
		err = errors.New("several workers or both directions, which no program offers")
	}
	if err != nil {
		return p, &peerFault{fmt.Errorf("check the peer's plan: %w", errors.New(printable(err.Error())))}
	}
	return p, nil
}

func checkNames(what string, names ...string) error {
	for _, n := range names {
		bad := func(r rune) bool { return r <= ' ' || r > '~' }
		if n == "" || len(n) > maxName || strings.ContainsFunc(n, bad) {
			return &peerFault{fmt.Errorf("read %s: %.80q is not a name", what, n)}
		}
	}
	return nil
}

// maxText is the longest text of a peer that is printed.
const maxText = 2000

// printable makes a peer's text fit for a terminal.
func printable(text string) string {
	if len(text) > maxText {
		text = text[:maxText] + "..."
	}
	return strings.Map(func(r rune) rune {
		if unicode.IsPrint(r) {
			return r
		}
		return ' '
	}, strings.ToValidUTF8(text, "?"))
}
