package cli

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/ibperf/ibperf/internal/host"
	"github.com/ibperf/ibperf/oob"
	"github.com/ibperf/ibperf/option"
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
	Boot    string `json:"boot"` // the kernel's boot_id, which tells hosts apart
}

func identify(d verbs.Device) deviceID { return deviceID{d.Name(), d.Backend(), host.BootID()} }

// embedded tells a device of ibperf's own from one of libibverbs.
func (d deviceID) embedded() bool { return d.Backend == embeddedBackend }

// proposal is what a client wants.
type proposal struct {
	Release string   `json:"release"`
	Program string   `json:"program"` // which names the test
	Device  deviceID `json:"device"`
	Given   []string `json:"given"` // options that were given explicitly
	Series  *series  `json:"series,omitempty"`

	WantsCaps bool            `json:"wants_caps,omitempty"` // the answer is to say what the server's device can do
	Plan      json.RawMessage `json:"plan"`
}

// answer is what a server makes of it: a plan or a refusal.
type answer struct {
	Release string          `json:"release"`
	Device  deviceID        `json:"device"`
	Plan    json.RawMessage `json:"plan,omitempty"`
	Caps    json.RawMessage `json:"caps,omitempty"`    // as ib_caps writes it
	Class   string          `json:"class,omitempty"`   // of the refusal, as [refusal] tells it
	Refusal string          `json:"refusal,omitempty"` // its text
}

// maxName is the longest program, device or release name that a peer may have.
const maxName = 64

// parseProposal reads what a client sent. Its names go to terminals, so that
// they must be plain words. The plan is not looked at: another program or
// release may have other plans.
func parseProposal(data []byte) (proposal, error) {
	var p proposal
	if err := oob.Decode(data, &p); err != nil {
		return p, &peerFault{fmt.Errorf("read the client's proposal: %w", err)}
	}
	return p, checkNames("the client's proposal", p.Release, p.Program, p.Device.Name, p.Device.Backend)
}

// parseAnswer reads what a server answered.
func parseAnswer(data []byte) (answer, error) {
	var a answer
	if err := oob.Decode(data, &a); err != nil {
		return a, &peerFault{fmt.Errorf("read the server's answer: %w", err)}
	}
	a.Refusal = shorten(a.Refusal)
	if a.Refusal != "" {
		return a, nil
	}
	return a, checkNames("the server's answer", a.Release, a.Device.Name, a.Device.Backend)
}

// parsePlan reads a plan of the peer, whose role is named. What it does not know it does
// not do: an option of a later release is refused by its name.
func parsePlan(data []byte, t option.Test, peer, release string) (option.Plan, error) {
	me := map[string]string{"client": "server", "server": "client"}[peer]
	p, unknown, err := option.Decode(t, data)
	if err != nil {
		return p, &peerFault{fmt.Errorf("read the %s's plan: %s", peer, shorten(err.Error()))}
	}
	if len(unknown) > 0 {
		slices.Sort(unknown)
		return p, conflict(fmt.Sprintf("the %s, ibperf %s, asks for what the %s, ibperf %s, does not know: %s; update ibperf on the %s, or leave these options out",
			peer, release, me, ownRelease, shorten(strings.Join(unknown, ", ")), me))
	}
	if err := p.Check(); err != nil {
		return p, &peerFault{fmt.Errorf("check the %s's plan: %s", peer, shorten(err.Error()))}
	}
	return p, nil
}

// testOf finds the test that a client asks for.
func testOf(p *proposal) (option.Test, error) {
	t, ok := option.TestOf(p.Program)
	if !ok {
		return t, conflict(fmt.Sprintf("the client, ibperf %s, is %s, a test that the server, ibperf %s, does not have: update ibperf on the server",
			p.Release, p.Program, ownRelease))
	}
	return t, nil
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

// shorten cuts a text that a peer has had a part in.
func shorten(text string) string {
	if len(text) > maxText {
		return strings.ToValidUTF8(text[:maxText], "") + "..."
	}
	return text
}
