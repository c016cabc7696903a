package result

// WarningID is the id of a warning ([Warning.ID]). Programs read ids, so they do not change.
type WarningID string

// The ids of warnings.
const (
	WarnAboveRateLimit WarningID = "above-rate-limit"
	WarnRouting        WarningID = "adaptive-routing"
	WarnBelowRateLimit WarningID = "below-rate-limit"
	WarnBacklog        WarningID = "backlog-grows"
	WarnBrokenOff      WarningID = "broken-off"
	WarnClockDrift     WarningID = "clock-drift"
	WarnClocksApart    WarningID = "clocks-apart"
	WarnCPUFrequency   WarningID = "cpu-frequency"
	WarnDataNotRun     WarningID = "data-not-run"
	WarnDevicesApart   WarningID = "devices-apart"
	WarnError          WarningID = "error"
	WarnFewSamples     WarningID = "few-samples"
	WarnFewSleeps      WarningID = "few-sleeps"
	WarnFewerReceives  WarningID = "fewer-receives"
	WarnForcedData     WarningID = "forced-data"
	WarnIdleState      WarningID = "idle-state"
	WarnInterrupted    WarningID = "interrupted"
	WarnLost           WarningID = "lost"
	WarnNoSleeps       WarningID = "no-sleeps"
	WarnNUMANode       WarningID = "numa-node"
	WarnOneDirection   WarningID = "one-direction"
	WarnPreempted      WarningID = "preempted"
	WarnRDMACMPath     WarningID = "rdma-cm-path"
	WarnSenderRate     WarningID = "sender-rate"
	WarnShortRun       WarningID = "short-run"
	WarnSoftwareDevice WarningID = "software-device"
	WarnTwoLevels      WarningID = "two-levels"
	WarnUnsteady       WarningID = "unsteady"
	WarnVerify         WarningID = "verify"
	WarnWrongData      WarningID = "wrong-data"
)
