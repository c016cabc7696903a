package coordinator

import "testing"

func TestHostOf(t *testing.T) {
	for _, c := range []struct{ server, reached, want string }{
		{"192.0.2.7:4000", "192.0.2.1:61440", "192.0.2.7"},
		{"127.0.0.1:4000", "192.0.2.1:61440", "192.0.2.1"}, // a server on rank 0's host, a client on another
		{"127.0.0.1:4000", "127.0.0.1:61440", "127.0.0.1"},
		{"[::ffff:192.0.2.7]:4000", "192.0.2.1:61440", "192.0.2.7"},
		{"[fe80::1%eth0]:4000", "[fe80::2%eth0]:61440", "fe80::1%eth0"},
	} {
		if got := hostOf(c.server, c.reached); got != c.want {
			t.Errorf("server %s, reached %s: %q, want %q", c.server, c.reached, got, c.want)
		}
	}
}
