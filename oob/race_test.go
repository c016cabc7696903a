//go:build race

package oob

import "time"

// acceptLimit is well above what the flood of a test takes under the race detector, and below
// the limit of a hello, which silent connections could hold a client up for.
const acceptLimit = 10 * time.Second
