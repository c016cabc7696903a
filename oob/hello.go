package oob

import "crypto/rand"

// nonceSize is how many random bytes a hello carries, against which proofs are made.
const nonceSize = 32

// helloSize is the payload of a hello frame: the role, whether the side has a secret, the nonce.
const helloSize = 1 + 1 + nonceSize

// role is a side's part in making the connection.
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

// hello is the first that a side says of itself.
type hello struct {
	role   role
	secret bool // it has one
	nonce  [nonceSize]byte
}

func newHello(r role, secret []byte) hello {
	h := hello{role: r, secret: secret != nil}
	_, _ = rand.Read(h.nonce[:]) // does not fail
	return h
}

func (h hello) frame() frame {
	payload := []byte{byte(h.role), 0}
	if h.secret {
		payload[1] = 1
	}
	return frame{kind: kindHello, payload: append(payload, h.nonce[:]...)}
}

// decodeHello returns what the payload of a hello frame says.
func decodeHello(payload []byte) (hello, error) {
	if len(payload) != helloSize {
		return hello{}, protocolErrorf("received a hello of %d bytes, want %d", len(payload), helloSize)
	}
	h := hello{role: role(payload[0]), secret: payload[1] == 1, nonce: [nonceSize]byte(payload[2:])}
	if h.role != roleClient && h.role != roleServer {
		return hello{}, protocolErrorf("received a hello with the unknown role %d", h.role)
	}
	if payload[1] > 1 {
		return hello{}, protocolErrorf("received a hello with %d where it says whether it has a secret", payload[1])
	}
	return h, nil
}
