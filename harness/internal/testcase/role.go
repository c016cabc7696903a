package testcase

// Role is the role of a side: the client sends first in latency tests, and is the sender or
// requester of bandwidth tests.
type Role string

// The roles.
const (
	Client Role = "client"
	Server Role = "server"
)

// Other returns the role of the peer.
func (r Role) Other() Role {
	if r == Client {
		return Server
	}
	return Client
}

// Sides is a set of sides.
type Sides struct{ Client, Server bool }

// Has reports whether a side is in the set.
func (s Sides) Has(r Role) bool { return r == Client && s.Client || r == Server && s.Server }

func (s Sides) swapped() Sides { return Sides{Client: s.Server, Server: s.Client} }

var (
	theClient = Sides{Client: true}
	theServer = Sides{Server: true}
	bothSides = Sides{true, true}
)
