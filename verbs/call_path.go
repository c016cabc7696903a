package verbs

// The ways of timed calls (post, poll, arm, take an event) from Go into a C library.
const (
	CallsDirect = "direct"
	CallsCgo    = "cgo" // slower: each call goes through the Go scheduler
)

// LibraryCaller is a [Context] whose calls go into a C library.
type LibraryCaller interface {
	// CallPath returns the way of timed calls: CallsDirect or CallsCgo.
	CallPath() string
}
