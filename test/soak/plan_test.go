package soak

import (
	"fmt"
	"math/rand/v2"

	"github.com/ibperf/ibperf/verbs"
	_ "github.com/ibperf/ibperf/verbs/shm"
)

// kind is the transport of a session.
type kind string

const (
	overRC  kind = "RC"
	overSRQ kind = "RC, two QPs on an SRQ"
	overXRC kind = "XRC"
	overUC  kind = "UC"
	overUD  kind = "UD"
)

// reliable reports whether every message arrives.
func (k kind) reliable() bool { return k != overUC && k != overUD }

// plan holds the parameters of a session, which all follow from the seed.
type plan struct {
	seed     uint64
	device   string
	kind     kind
	slots    int  // outstanding messages of each side
	size     int  // bytes of the longest message
	messages int  // of each side
	events   bool // sleeps for completions; otherwise it spins
	fresh    bool // opens the device for itself
	revoked  bool // ends with a WRITE to deregistered memory
}

var (
	devices = []string{"shm_whole", "shm_block128", "shm_unordered"}
	mixture = []kind{overRC, overRC, overSRQ, overXRC, overUC, overUD}
)

func planOf(seed uint64) plan {
	r := rand.New(rand.NewPCG(seed, 1))
	p := plan{
		seed: seed, device: devices[r.IntN(len(devices))], kind: mixture[r.IntN(len(mixture))],
		slots: 16, size: 4096, messages: 50 + r.IntN(300),
		events: r.IntN(2) == 0, fresh: r.IntN(4) == 0, revoked: r.IntN(4) == 0,
	}
	switch n := r.IntN(20); {
	case p.kind == overUD:
		p.size = verbs.MTU4096.Bytes() - headerSize
	case n == 0: // more than the device stores in one step
		p.slots, p.size, p.messages = 2, 3<<20, 10
	case n < 6:
		p.size, p.messages = 64<<10, 100
	}
	p.revoked = p.revoked && (p.kind == overRC || p.kind == overSRQ)
	return p
}

func (p plan) String() string {
	return fmt.Sprintf("session of seed %d: %s over %s, %d messages of up to %d bytes, events %v, own context %v, revoked memory %v",
		p.seed, p.device, p.kind, p.messages, p.size, p.events, p.fresh, p.revoked)
}

// layout holds offsets in the memory of each side.
type layout struct {
	landing, window, static, receives, words, total int // after the sources
	receive, depth                                  int // bytes of a receive, number of receives
}

func (p plan) layout() layout {
	l := layout{receive: verbs.GRHSize + headerSize + p.size, depth: 2 * p.slots}
	l.landing = p.slots * (headerSize + p.size)
	l.window = l.landing + p.slots*p.size
	l.static = l.window + p.slots*p.size
	l.receives = l.static + p.size
	l.words = (l.receives + l.depth*l.receive + 7) &^ 7
	l.total = l.words + 8*maxConns + headerSize // of answers
	return l
}
