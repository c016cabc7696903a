package result

// Limits that separate waiting asleep from spinning. The warnings of a run and the ratios of reports
// use the same ones.
const (
	// MinSleepsPerMessage is the minimum number of sleeps for each message, or in reports for each full queue of
	// messages, at which mode event measures wake-ups.
	MinSleepsPerMessage = 0.9

	// SpinningBusy is the minimum fraction of the time for which an undisturbed spinning thread has
	// its CPU.
	SpinningBusy = 0.95

	// EdgeLossS is the time in seconds for which a thread may lose its CPU in each round without being disturbed. At
	// both ends of a round the two sides exchange messages of the control channel, which takes 0.1 ms on a host
	// with two CPUs, and up to 0.3 ms now and then. In rounds of 4 ms that is more than 1 - SpinningBusy.
	EdgeLossS = 400e-6

	// VerdictBusy is the minimum fraction of the time for which the spinning threads of a side have their CPUs in
	// all rows together. With less there is no verdict.
	VerdictBusy = 0.9
)

// Limits of rows whose rounds vary much.
const (
	// UnsteadyRatio is the minimum ratio of the 90th to the 10th percentile of the figures of unsteady rounds.
	UnsteadyRatio = 1.5

	// UnsteadyRounds is the minimum number of rounds that are judged.
	UnsteadyRounds = 10
)

// ShallowExitNs is the longest exit latency of an idle state that a wake-up hardly shows: that of C1 on x86. C1E and
// deeper states take from 4 to some hundred microseconds.
const ShallowExitNs = 2000
