//go:build !race

package oob

import "time"

// acceptLimit is within what a client is accepted whatever else comes.
const acceptLimit = time.Second
