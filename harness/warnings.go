package harness

import (
	"fmt"
	"math"

	"github.com/ibperf/ibperf/harness/internal/testcase"
	"github.com/ibperf/ibperf/oob"
	"github.com/ibperf/ibperf/option"
	"github.com/ibperf/ibperf/result"
	"github.com/ibperf/ibperf/verbs"
)

// runWarnings returns the warnings about all rows of a run.
func runWarnings(p *option.Plan, d decision, mine, theirs result.Side) []result.Warning {
	var w []result.Warning
	for _, s := range []struct {
		name string
		side result.Side
	}{{"this side", mine}, {"the peer", theirs}} {
		devices := append([]result.MoreDevice{{Device: s.side.Device, NUMA: s.side.NUMA}}, s.side.More...)
		for _, d := range devices {
			if sw := d.Device.Software; sw != "" {
				w = append(w, result.Warning{ID: result.WarnSoftwareDevice, Text: fmt.Sprintf("%s uses %s: %s", s.name, d.Device.Name, sw)})
			}
			w = append(w, numaWarning(s.name, d.Device.Name, d.NUMA)...)
		}
	}
	w = append(w, d.warnings...)
	if p.Verify {
		w = append(w, result.Warning{ID: result.WarnVerify, Text: "times and rates include writing and checking every byte (--verify)"})
	}
	return w
}

// routingWarnings returns the warning about a run in which some modes send WRITE and others WRITE with
// immediate data, if it is unknown whether the switches route adaptively: NVIDIA's may route the first so, and
// not the second (NVIDIA/nccl#850).
func routingWarnings(p *option.Plan, cases [][]testcase.Case, mine, theirs result.Side) []result.Warning {
	opcodes := map[verbs.Opcode]bool{}
	for _, sizes := range cases {
		opcodes[sizes[0].Opcode] = true
	}
	alike := !opcodes[verbs.OpRDMAWrite] || !opcodes[verbs.OpRDMAWriteWithImm]
	if p.Routing != option.RoutingUnknown || alike || !mayBeSwitched(&mine.Device) || !mayBeSwitched(&theirs.Device) {
		return nil
	}
	return []result.Warning{{ID: result.WarnRouting, Text: "mode data sends WRITE, the others WRITE with immediate data, " +
		"which adaptive routing may leave out (NVIDIA/nccl#850): then ratios compare paths too; give --adaptive-routing yes or no"}}
}

// mayBeSwitched reports whether packets of a device may pass switches that route adaptively.
func mayBeSwitched(d *result.Device) bool {
	fabric := d.LinkLayer == verbs.LinkInfiniBand.String() || d.LinkLayer == verbs.LinkEthernet.String()
	return fabric && d.Software == ""
}

// Numbers of samples of which ten are beyond the percentile.
const (
	samplesP999  = 10_000
	samplesP9999 = 100_000
)

// spinning holds which sides spin without pauses between messages.
type spinning struct{ here, peer bool }

// spinningOf returns them for a side: the client makes the pauses.
func spinningOf(p *option.Plan, role Role) spinning {
	pausing := p.Gap > 0
	return spinning{!pausing || role != Client, !pausing || role == Client}
}

// rowWarnings returns the warnings about one row.
func rowWarnings(c *testcase.Case, r *result.Row, spins spinning) []result.Warning {
	return append(figureWarnings(r, waiting{c.Sleeps, c.Sleeps && !c.Spins()}, spins), senderRateWarnings(c, r)...)
}

// waiting holds whether threads of a mode wait asleep, and whether they do so for each message.
type waiting struct{ asleep, everyTime bool }

// figureWarnings returns the warnings that follow from the figures of a row. [Merge] computes them anew.
func figureWarnings(r *result.Row, waits waiting, spins spinning) []result.Warning {
	var w []result.Warning
	warn := func(id result.WarningID, format string, args ...any) {
		w = append(w, result.Warning{ID: id, Text: fmt.Sprintf(format, args...)})
	}
	switch l := r.Latency; {
	case l == nil || l.MeanOnly || l.N >= samplesP9999:
	case l.N >= samplesP999:
		warn(result.WarnFewSamples, "fewer than 100,000 samples: the 99.99 %% percentile is unreliable")
	default:
		warn(result.WarnFewSamples, "fewer than 10,000 samples: the 99.9 %% and 99.99 %% percentiles are unreliable")
	}
	if b := r.Bandwidth; b != nil && b.Seconds < 0.01 {
		warn(result.WarnShortRun, "measured over less than 10 ms; use -n or -D for a longer run")
	}
	w = append(w, directionWarnings(r)...)
	switch per := max(r.Local.SleepsPerMessage, r.Peer.SleepsPerMessage); {
	case !waits.everyTime || r.Load != nil: // at a rate a side sleeps as often as the rate lets it
	case per == 0:
		warn(result.WarnNoSleeps, "mode event: %s", neverSlept)
	case per < result.MinSleepsPerMessage && !r.OneCPU(): // on one CPU the peer's wake-up may come before the sleep
		warn(result.WarnFewSleeps, "mode event slept for fewer than 9 of 10 messages: the other completions were already queued (column wake-ups)")
	}
	for _, side := range []struct {
		name  string
		cost  result.Cost
		spins bool
	}{{"this side", r.Local, spins.here}, {"the peer", r.Peer, spins.peer}} {
		if side.spins && !waits.asleep && lostCPU(r, side.cost) {
			warn(result.WarnPreempted, "on %s the spinning thread had its CPU for under 95 %% of the time: other work took it", side.name)
		}
	}
	if d := r.Delivery; d != nil && d.Lost > 0 {
		warn(result.WarnLost, "%d of %d messages were lost", d.Lost, d.Sent)
	}
	if v := r.Verify; v != nil && v.Bad() > 0 {
		warn(result.WarnWrongData, "%d of %d messages were corrupted", v.Bad(), v.Messages)
	}
	return append(w, variationWarnings(r)...)
}

// lostCPU reports whether other work took the CPU of a thread that spun on one side of a row, for a larger part
// of the time and for longer in each round than what happens between rounds explains.
func lostCPU(r *result.Row, side result.Cost) bool {
	if side.Busy == 0 || side.Busy >= result.SpinningBusy {
		return false
	}
	seconds := 0.0
	for i := range r.Rounds {
		seconds += r.Rounds[i].Seconds
	}
	return len(r.Rounds) == 0 || (1-side.Busy)*seconds > result.EdgeLossS*float64(len(r.Rounds))
}

// ofFigures holds the ids of the warnings that [Merge] computes anew: those of [figureWarnings] and [loadWarnings].
var ofFigures = []result.WarningID{
	result.WarnFewSamples, result.WarnShortRun, result.WarnOneDirection, result.WarnClocksApart, result.WarnNoSleeps,
	result.WarnFewSleeps, result.WarnPreempted, result.WarnLost, result.WarnWrongData,
	result.WarnTwoLevels, result.WarnUnsteady, result.WarnBacklog,
}

// receiveWarnings returns the warning about fewer posted receives than --rx-depth: a receiver that
// consumes each message allows no more messages than the ring holds.
func receiveWarnings(c *testcase.Case) []result.Warning {
	if !c.UsesReceives || !c.Consumed || c.Recvs >= c.RecvsAsked {
		return nil
	}
	return []result.Warning{{ID: result.WarnFewerReceives, Text: fmt.Sprintf(
		"--rx-depth: a QP had %d receives posted instead of %d, because the receiver consumes each message and allows no more of them at a time", c.Recvs, c.RecvsAsked)}}
}

// senderRateWarnings returns the warnings about a rate that may include lost messages.
func senderRateWarnings(c *testcase.Case, r *result.Row) []result.Warning {
	switch {
	case !c.Lossy:
		return nil
	case r.Delivery == nil:
		return []result.Warning{{ID: result.WarnSenderRate, Text: "the rate is the sender's: the receiver does not count WRITEs, so losses are unknown"}}
	case !c.PingPong && !c.Consumed:
		return []result.Warning{{ID: result.WarnSenderRate, Text: "the rate is the sender's, not that of arrived messages"}}
	}
	return nil
}

// maxDrift is the largest drift of a clock, in millionths, that NTP may cause.
const maxDrift = 1000

// driftWarnings returns the warnings about the clocks of both sides.
func driftWarnings(mine, theirs float64) []result.Warning {
	var w []result.Warning
	for _, side := range []struct {
		name  string
		drift float64
	}{{"this side", mine}, {"the peer", theirs}} {
		if math.Abs(side.drift) > maxDrift {
			w = append(w, result.Warning{ID: result.WarnClockDrift, Text: fmt.Sprintf(
				"on %s the TSC and CLOCK_MONOTONIC drifted apart by %+.2f %% during the measurement: times and rates may be wrong by that amount", side.name, side.drift/1e4)})
		}
	}
	return w
}

// pathWarnings returns the warnings about paths that do not follow the options.
func pathWarnings(mine, theirs oob.Promise) (w []result.Warning) {
	for _, s := range []struct {
		name   string
		unlike []string
	}{{"this side", mine.PathDifferences}, {"the peer", theirs.PathDifferences}} {
		for _, text := range s.unlike {
			w = append(w, result.Warning{ID: result.WarnRDMACMPath, Text: fmt.Sprintf("on %s %s; leave --rdma_cm out to use the option", s.name, text)})
		}
	}
	return w
}

// overlapWarnings returns the warning about devices that did not measure during the whole time of all of them.
func overlapWarnings(r *result.Row) []result.Warning {
	if r.Bandwidth == nil || len(r.Devices) == 0 {
		return nil
	}
	shortest := r.Bandwidth.Seconds
	for _, d := range r.Devices {
		shortest = min(shortest, d.Bandwidth.Seconds)
	}
	if shortest >= minActive*r.Bandwidth.Seconds {
		return nil
	}
	return []result.Warning{{ID: result.WarnDevicesApart, Text: fmt.Sprintf(
		"the devices did not measure at the same time: one was active for %.3g of %.3g s, so the sum is too small; use -D for a fixed time", shortest, r.Bandwidth.Seconds)}}
}
