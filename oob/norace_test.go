//go:build !race

package oob

import "time"

// acceptLimit is the time within which a client is accepted during a flood of connections.
const acceptLimit = time.Second
