package shm_test

import (
	"errors"
	"testing"
	"time"

	"github.com/ibperf/ibperf/verbs"
)

// Waits for completion events end when the context is closed, as those for asynchronous events do, whether they have begun
// before or not.
func TestContextCloseEndsWaits(t *testing.T) {
	for delay := range 5 {
		c := openDevice(t, "shm_whole")
		ch, err := c.CreateCompChannel()
		if err != nil {
			t.Fatal(err)
		}
		ended := make(chan error, 2)
		for range 2 {
			go func() {
				_, err := ch.GetEvent(time.Minute)
				ended <- err
			}()
		}
		time.Sleep(time.Duration(delay) * time.Millisecond) // with some of them, the waits have begun
		if err := c.Close(); err != nil {
			t.Fatal(err)
		}
		for range 2 {
			if err := <-ended; !errors.Is(err, verbs.ErrClosed) {
				t.Errorf("%v, want the error of a closed device", err)
			}
		}
		if err := ch.Close(); err != nil {
			t.Error(err)
		}
	}
}

// A closed context has no further channels.
func TestChannelOfAClosedContext(t *testing.T) {
	c := openDevice(t, "shm_whole")
	if err := c.Close(); err != nil {
		t.Fatal(err)
	}
	if _, err := c.CreateCompChannel(); !errors.Is(err, verbs.ErrClosed) {
		t.Errorf("%v", err)
	}
}
