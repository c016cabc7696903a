package shm_test

import (
	"flag"
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/ibperf/ibperf/verbs"
	"github.com/ibperf/ibperf/verbs/verbstest/fixture"
)

// Mistakes of applications that the devices show: each infers from one request what only the completion of another one promises.

// mistake is an application that makes a mistake in each message, and reports whether the message was right nevertheless.
type mistake struct {
	name  string
	shown []string // devices that show it
	make  func(t *testing.T, device string) (message func(m uint64) (right bool))
}

var mistakes = []mistake{
	{"a source that is written again before the completion", reorderingDevices, lookAfterCompletion(true)},
	{"the completion of a WRITE means that the peer has its data", []string{earlyDevice}, lookAfterCompletion(false)},
	{"a flag WRITE after a WRITE", reorderingDevices, flagAfterWrite(false)},
	{"a flag WRITE on another QP after a WRITE", reorderingDevices, flagAfterWrite(true)},
	{"a flag WRITE after a SEND", reorderingDevices, flagAfter(verbs.OpSend)},
	{"a flag WRITE after a WRITE_WITH_IMM", reorderingDevices, flagAfter(verbs.OpRDMAWriteWithImm)},
	{"the result of a READ in a WRITE without a fence", shufflingDevices, useOfResult(verbs.OpRDMARead, verbs.OpRDMAWrite, 0)},
	{"the result of a READ in a SEND without a fence", shufflingDevices, useOfResult(verbs.OpRDMARead, verbs.OpSend, 0)},
	{"the result of an atomic operation in a WRITE without a fence", shufflingDevices, useOfResult(verbs.OpAtomicFetchAndAdd, verbs.OpRDMAWrite, 0)},
}

// ofLastWord are mistakes of a reader that spins on the last word of a message and takes it for the arrival of the rest.
var ofLastWord = []mistake{
	{"the last word of a message of 4 KiB", shufflingDevices, lastWord(placed{op: verbs.OpRDMAWrite, size: 4096, unit: 4096})},
	{"the last word of a message of two SGEs", shufflingDevices, lastWord(placed{op: verbs.OpRDMAWrite, size: 4096, unit: 4096, pieces: 2})},
	{"the last word of a READ", shufflingDevices, lastWord(placed{op: verbs.OpRDMARead, size: 4096, unit: 4096})},
	{"the last word of 128 bytes that begin within a block", shufflingDevices, lastWord(placed{op: verbs.OpRDMAWrite, at: 64, size: 4096, unit: 128})},
	{"the last word of 64 inline bytes", []string{"shm_unordered", "shm_liar"},
		lastWord(placed{op: verbs.OpRDMAWrite, size: 64, unit: 64, flags: verbs.SendInline})},
	{"the last word of a block with relaxed ordering", append([]string{"shm_whole:relaxed=shuffle"}, shufflingDevices...),
		lastWord(placed{op: verbs.OpRDMAWrite, size: 4096, unit: 128, relaxed: true})},
}

// allowed are the same requests in a way that is right.
var allowed = []mistake{
	{"an atomic operation as a flag", nil, flagAfter(verbs.OpRDMAWrite)},
	{"the result of a READ in a WRITE with a fence", nil, useOfResult(verbs.OpRDMARead, verbs.OpRDMAWrite, verbs.SendFence)},
	{"the result of a READ in a SEND with a fence", nil, useOfResult(verbs.OpRDMARead, verbs.OpSend, verbs.SendFence)},
	{"the result of an atomic operation in a WRITE with a fence", nil, useOfResult(verbs.OpAtomicFetchAndAdd, verbs.OpRDMAWrite, verbs.SendFence)},
}

// earlyDevice is a device on which WRITEs complete before the peer has their data.
const earlyDevice = "shm_whole:early=8"

// shufflingDevices are the devices on which results of READs are late.
var shufflingDevices = []string{"shm_block128", "shm_unordered", "shm_liar"}

var countMistakes = flag.Int("mistakes", 0, "print how many of N messages are wrong by each mistake on each device")

// TestTableOfMistakes prints the table of docs/EMBEDDED-DEVICE.md.
func TestTableOfMistakes(t *testing.T) {
	if *countMistakes == 0 {
		t.Skip("needs -mistakes N")
	}
	columns := append(slices.Clone(devices), "shm_whole:late=8", earlyDevice, "shm_whole:relaxed=shuffle")
	t.Log("mistake", columns)
	for _, x := range append(slices.Clone(mistakes), ofLastWord...) {
		line := x.name
		for _, device := range columns {
			t.Run(x.name+"/"+device, func(t *testing.T) {
				message, wrong := x.make(t, device), 0
				for m := range *countMistakes {
					if !message(uint64(m + 1)) {
						wrong++
					}
				}
				line += fmt.Sprintf(" | %d", wrong)
			})
		}
		t.Log(line)
	}
}

// TestMistakesAreShown covers that each mistake leads to a wrong message on the devices that are to show it.
func TestMistakesAreShown(t *testing.T) {
	for _, x := range append(slices.Clone(mistakes), ofLastWord...) {
		for _, device := range x.shown {
			t.Run(x.name+"/"+device, func(t *testing.T) {
				message := x.make(t, device)
				end := time.Now().Add(fixture.WaitTimeout)
				for m := uint64(1); message(m); m++ {
					if time.Now().After(end) {
						t.Fatalf("%d messages were right", m)
					}
				}
			})
		}
	}
}

// TestAllowedUseIsRight covers that what the specification allows is right on all devices, and that shm_whole shows no mistake.
func TestAllowedUseIsRight(t *testing.T) {
	check := func(x mistake, device string) {
		t.Run(x.name+"/"+device, func(t *testing.T) {
			message := x.make(t, device)
			for m := uint64(1); m <= 300; m++ {
				if !message(m) {
					t.Fatalf("message %d is wrong", m)
				}
			}
		})
	}
	for _, x := range allowed {
		for _, device := range devices {
			check(x, device)
		}
	}
	check(allowed[0], earlyDevice)
	for _, x := range mistakes {
		check(x, "shm_whole")
	}
}
