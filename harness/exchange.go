package harness

import (
	"encoding/json"
	"fmt"
)

// Exchanger is all that a run needs of the channel to its peer.
type Exchanger interface {
	// Exchange gives the peer mine and returns what the peer gave in the same
	// step. It returns at once with the reason when the peer is lost.
	Exchange(step string, mine []byte) (theirs []byte, err error)
	// Lost is closed when the peer is gone or has ended the run.
	Lost() <-chan struct{}
	// Err tells why, once Lost is closed.
	Err() error
}

// swap exchanges values as JSON.
func swap[T any](x Exchanger, step string, mine T) (theirs T, err error) {
	out, err := json.Marshal(mine)
	if err != nil {
		return theirs, fmt.Errorf("write step %q: %w", step, err)
	}
	in, err := x.Exchange(step, out)
	if err != nil {
		return theirs, err
	}
	if err := json.Unmarshal(in, &theirs); err != nil {
		return theirs, fmt.Errorf("read the peer's step %q: %w", step, err)
	}
	return theirs, nil
}

// barrier returns when both sides have come to the step.
func barrier(x Exchanger, step string) error {
	_, err := x.Exchange(step, nil)
	return err
}
