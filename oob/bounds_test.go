package oob

import (
	"encoding/json"
	"errors"
	"math"
	"net/netip"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/ibperf/ibperf/option"
	"github.com/ibperf/ibperf/result"
	"github.com/ibperf/ibperf/verbs"
)

// oneQP is a small run.
var oneQP = Run{QPs: 1, Threads: 1, Setup: time.Minute, Round: time.Hour}

// The largest messages that a correct side sends are within their bounds.
func TestLargestMessagesFitTheirBounds(t *testing.T) {
	text := strings.Repeat("\u2028", maxText/3) // six bytes each in JSON
	gid := verbs.GID(slices.Repeat([]byte{0xfe}, 16))
	endpoint := Endpoint{Endpoint: verbs.Endpoint{QPNum: math.MaxUint32, PSN: math.MaxUint32, GID: gid, LID: math.MaxUint16, MTU: 5, RdAtomic: 255},
		Addr: math.MaxUint64, RKey: math.MaxUint32, RelaxedRKey: math.MaxUint32, Credits: math.MaxUint64, CreditsRKey: math.MaxUint32, RecvQP: math.MaxUint32, SRQ: math.MaxUint32}
	numbers := slices.Repeat([]uint64{math.MaxUint64}, 64)
	many := Run{QPs: 64, Threads: 64}.Bounds()
	number := -math.MaxFloat64
	for name, message := range map[string]any{
		"offer":     Offer{Classes: slices.Repeat([]verbs.GIDClass{{}}, 200), Peer: netip.IPv6Unspecified(), Longest: math.MaxUint32},
		"rdma_cm":   Rendezvous{math.MaxUint16, math.MaxUint64},
		"endpoints": slices.Repeat([]Endpoint{endpoint}, 64),
		"promise":   Promise{CPUs: slices.Repeat([]int{maxCPU}, 4096), Boot: text, PathDifferences: []string{text, text, text}, Side: result.Side{Host: text}},
		"turn":      Step{Kind: StepRound, Size: math.MaxInt, Mode: math.MaxInt, Messages: math.MaxUint64, Duration: math.MaxInt64, NoRatio: text, Limit: text},
		"align":     Reading{math.MinInt64, math.MinInt64},
		"finish":    numbers,
		"result": Round{Figure: &result.Round{Seconds: number, P50Ns: number, MeanNs: number, Average: number}, Begin: math.MinInt64, End: math.MinInt64,
			CPUs: slices.Repeat([]int{maxCPU}, option.MaxThreads), Nodes: slices.Repeat([]int{maxNodes}, 3*maxNodes), Drift: number, Verify: &result.Verify{First: text}},
		"rest": slices.Concat(numbers, numbers),
		"row":  Row{Latency: &result.Latency{Histogram: strings.Repeat("A", 192<<10)}, Bandwidth: &result.Bandwidth{}},
	} {
		data, err := json.Marshal(message)
		if err != nil {
			t.Fatal(err)
		}
		b, known := many[name]
		if err := errors.Join(b.check(name, int64(len(data))), b.checkValues(name, data)); err != nil || !known {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// Values of JSON are counted before they are decoded.
func TestValuesAreCounted(t *testing.T) {
	for text, want := range map[string]int{
		`7`: 1, `[]`: 2, `[1,2,3]`: 4, `{"a":1,"b":[{},{}]}`: 7, `",[{\",["`: 1, `"open,`: 1, ``: 1,
	} {
		if got := countValues([]byte(text)); got != want {
			t.Errorf("%s has %d values, want %d", text, got, want)
		}
	}
	a, b := Pipe()
	defer endAll(a, b)
	b.Trust(oneQP.Bounds())
	go a.Exchange("endpoints", []byte("["+strings.Repeat("{},", 100)+"{}]"))
	_, err := NewPeer(b).Endpoints(nil)
	var wrong *MessageError
	if !errors.As(err, &wrong) || !strings.Contains(err.Error(), "values, the limit is") {
		t.Errorf("error = %v, want a MessageError about values", err)
	}
}

// The memory for a peer's payloads grows with the QPs, and is that of the limit of a frame at most.
func TestMemoryOfBounds(t *testing.T) {
	small, large := oneQP.Bounds().Memory(), Run{QPs: 1 << 20, Threads: 1}.Bounds().Memory()
	if small < 5*maxRow || small > 3<<20 {
		t.Errorf("a run of one QP: %d bytes", small)
	}
	if large < 7*MaxPayload {
		t.Errorf("a run of a million QPs: %d bytes", large)
	}
}

// A peer that only answers pings is given up when its message is due, and learns why.
func TestPeerThatOnlyPingsIsGivenUp(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		a, b := Pipe()
		a.Trust(oneQP.Bounds())
		for name, want := range map[string]time.Duration{"turn": oneQP.Setup, "finish": oneQP.Setup + oneQP.Round} {
			begun := time.Now()
			_, err := a.Exchange(name, nil)
			wantPeerError(t, err, false, `has not sent its "`+name+`" message within `)
			if took := time.Since(begun); took != want {
				t.Errorf("%s: given up after %v, want %v", name, took, want)
			}
		}
		if a.Err() != nil {
			t.Errorf("the connection has ended: %v", a.Err())
		}
		a.Abort("", "the peer was too slow")
		wantLost(t, b, true, "the peer was too slow")
	})
}
