package oob

// helloSize is the payload of a hello frame: the role, 1 with a secret or 0.
const helloSize = 1 + 1

// role is the role of a side when the connection is made.
type role byte

const (
	roleClient role = 1 + iota
	roleServer
)

func (r role) String() string {
	if r == roleClient {
		return "client"
	}
	return "server"
}

// other returns the role that the peer must have.
func (r role) other() role { return roleClient + roleServer - r }

// hello is the first message of a side.
type hello struct {
	role   role
	secret bool // the side has one
}

func newHello(r role, secret []byte) hello { return hello{r, secret != nil} }

func (h hello) frame() frame {
	payload := []byte{byte(h.role), 0}
	if h.secret {
		payload[1] = 1
	}
	return frame{kind: kindHello, payload: payload}
}

// decodeHello decodes the payload of a hello frame.
func decodeHello(payload []byte) (hello, error) {
	if len(payload) != helloSize {
		return hello{}, protocolErrorf("received a hello of %d bytes, want %d", len(payload), helloSize)
	}
	h := hello{role: role(payload[0]), secret: payload[1] == 1}
	if h.role != roleClient && h.role != roleServer {
		return hello{}, protocolErrorf("received a hello with the unknown role %d", h.role)
	}
	if payload[1] > 1 {
		return hello{}, protocolErrorf("received a hello whose secret byte is %d, want 0 or 1", payload[1])
	}
	return h, nil
}
