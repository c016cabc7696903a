package option

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// effects has the test that shows the effect of each option: its folder and name, or a script that uses
// the option. Options that are accepted without effect have none.
var effects = map[string]string{
	"port": "test/e2e TestReadyFileHoldsThePort", "bind_source_ip": "cmd/internal/cli TestClientsLocalAddress", "connect-timeout": "test/e2e TestNoServer",
	"persistent": "test/e2e TestPersistentServer", "ready-file": "cmd/internal/cli TestReadyFile", "secret-file": "cmd/internal/cli TestSecretKeepsOthersOut",
	"max-memory": "cmd/internal/cli TestBudget", "max-qp": "cmd/internal/cli TestBudget", "max-time": "cmd/internal/cli TestServerEndsLongRuns",
	"ib-dev": "cmd/internal/cli TestChooseClient", "ib-port": "test/e2e TestTwoPorts", "gid-index": "harness/internal/setup TestBothSidesAgreeOnGIDs", "pin_cores": "test/e2e TestPinCores",
	"pkey_index": "harness TestPathOptionsOfOneSide", "dlid": "harness TestPathOptionsOfOneSide", "vector": "harness TestPathOptionsOfOneSide",
	"numa_node": "verbs TestBindNUMA", "cpu-dma-latency": "test/e2e TestLatencyOfIdleStates", "use_cuda": "test/e2e TestMessagesInGPUMemory", "use_cuda_bus_id": "test/e2e TestMessagesInGPUMemory", "use_rocm": "test/e2e TestMessagesInGPUMemory", "ph": "test/e2e TestHintsOfMessages", "cpu_id": "test/e2e TestHintsOfMessages", "tph_mem": "test/e2e TestHintsOfMessages", "payload_file_path": "harness TestMessagesCarryThePayload",
	"size": "test/e2e/testdata/each/sizes.txtar", "iters": "harness TestBandwidthIsExact",
	"duration": "harness TestBandwidthOfRounds", "run_infinitely": "harness TestEndlessRunStops", "qp": "harness TestMessagesUseEveryQP", "threads": "harness TestThreads",
	"connection": "harness TestEveryTransportMovesEveryByte", "use-srq": "harness TestEveryTransportMovesEveryByte",
	"tx-depth": "harness TestDepthOfABandwidthTest", "rx-depth": "harness TestReceivesOfABandwidthTest", "cq-mod": "harness TestDistanceOfSignaledSends",
	"rate_limit": "harness TestRateLimit", "rate_units": "harness TestRateLimit", "burst_size": "harness TestRateLimit", "arrivals": "harness TestOpenLoopIsLindleys",
	"post_list": "harness TestPostLists", "recv_post_list": "harness TestPostLists",
	"bidirectional": "harness TestBothDirectionsAreBytesOverTime", "reversed": "harness TestReversedServerSends", "mtu": "harness TestPathOfTheQPs",
	"rdma_cm": "harness TestConnectedByAddress", "tos": "harness TestConnectedByAddress", "tclass": "harness TestTrafficClass",
	"inline_size": "harness TestInlineSize", "offset": "harness TestBlockOrderAtAnyOffset", "latency_gap": "test/e2e TestLatencyGap",
	"noPeak": "harness TestNoPeak", "disable_pcie_relaxed": "harness TestRelaxedOrdering",
	"sl": "harness TestPathOfTheQPs", "flow_label": "harness TestPathOfTheQPs", "qp-timeout": "harness TestPathOfTheQPs", "retry_count": "harness TestPathOfTheQPs", "adaptive-routing": "harness TestPairsAreTheSameWorkInAllModes",
	"ipv6": "harness/internal/setup TestGIDsOfIPv6ComeFirst", "write_with_imm": "harness TestImmediateData", "send_with_imm": "harness TestImmediateData",
	"cqe_poll": "harness TestCompletionsPerPoll", "no_lock": "harness TestQPsWithoutLocks", "no_enhanced_reorder": "test/e2e TestOutOfOrderQPs", "use_old_post_send": "test/e2e TestQueuesAreNoLargerThanThoseOfPerftest", "mr_per_qp": "harness TestRegionForEachQP",
	"odp": "harness TestOnDemandPaging", "use_hugepages": "verbs TestHugeBuffer", "margin": "harness TestMarginIsWarmUp",
	"atomic_type": "harness TestAtomicRequests", "outs": "harness TestOutstandingReadsAndAtomics", "mcg": "harness TestMessagesToAGroup", "MGID": "harness/internal/setup TestGroupsOfBothSides",
	"completion": "test/e2e/testdata/each/modes.txtar", "spin": "harness TestAdaptiveSpins", "compare": "harness TestModesOfAComparisonHaveTheSameShape",
	"touch": "test/e2e TestTouch", "verify": "test/e2e TestWrongDataIsFound", "force-data": "test/e2e/testdata/each/devices.txtar",
	"against": "test/e2e TestCompareBuilds", "rate-sweep": "cmd/internal/cli TestRateSweepOfAComparison", "also": "test/e2e TestFurtherRows", "rounds": "test/e2e TestRoundsAndRuns", "runs": "test/e2e TestRoundsAndRuns", "seed": "harness TestOrderFollowsTheSeed",
	"precision": "test/e2e TestPrecision", "time-limit": "test/e2e TestPrecision",
	"loopback": "test/e2e TestConform", "run": "test/e2e TestConform", "quirks": "test/e2e TestConformQuirks", "may-crash": "verbs/ibv TestConformOnAConnectX", "list": "test/e2e TestConformList", "resume": "test/e2e TestVerifyResumes",
	"report_gbits": "test/e2e/testdata/each/output.txtar", "report-both": "test/e2e/testdata/each/directions.txtar", "output": "test/e2e/testdata/each/output.txtar",
	"details": "cmd/internal/cli TestDetailsOfAComparison", "report-histogrm": "reports/text TestSamplesStandBeforeTheirRow", "report-unsorted": "reports/text TestSamplesStandBeforeTheirRow", "report-cycles": "reports/text TestSamplesStandBeforeTheirRow",
	"cpu_util": "test/e2e/testdata/each/output.txtar", "report-counters": "harness TestCountersOfARow",
	"limit_bw": "test/e2e/testdata/each/output.txtar", "limit_msgrate": "test/e2e/testdata/each/output.txtar",
	"min-bw": "cmd/internal/cli TestLimits", "max-lat": "cmd/internal/cli TestLimits", "max-busy": "cmd/internal/cli TestLimits",
	"format": "test/e2e/testdata/each/output.txtar", "format_file": "test/e2e/testdata/each/output.txtar",
	"out_json": "cmd/internal/cli TestResultFile", "out_json_file": "test/e2e TestResultFiles", "dir": "cmd/internal/cli TestComparisonLeaves", "bundle": "cmd/internal/cli TestComparisonLeaves",
	"CPU-freq": "cmd/internal/machine TestFrequencyWarning", "help": "cmd/internal/cli TestHelpNamesEveryOption", "version": "test/e2e/testdata/once/usage.txtar",
}

// Every option has a test that shows its effect.
func TestEveryOptionHasAnEffect(t *testing.T) {
	for _, o := range Table() {
		where, listed := effects[o.Name]
		if o.As != "" {
			writes(t, o)
			continue
		}
		if o.Group == GroupAccepted {
			if listed {
				t.Errorf("--%s is accepted without effect, and has the test %s", o.Name, where)
			}
			continue
		}
		if !shows(t, o, where) {
			t.Errorf("--%s: no test shows its effect, listed is %q", o.Name, where)
		}
	}
	for name := range effects {
		if Find(name) == nil {
			t.Errorf("--%s has a test and is no option", name)
		}
	}
}

// writes checks that another spelling of an option sets its value.
func writes(t *testing.T, o *Option) {
	t.Helper()
	s := New(Test{OpSend, KindBandwidth})
	before := Find(o.As).Text(&s)
	if err := o.Set(&s, example(o)); err != nil || Find(o.As).Text(&s) == before {
		t.Errorf("--%s leaves --%s at %q: %v", o.Name, o.As, before, err)
	}
}

// shows reports whether a test of a folder, or a script, exists and has the option.
func shows(t *testing.T, o *Option, where string) bool {
	t.Helper()
	folder, name, isTest := strings.Cut(where, " ")
	if !isTest {
		text := read(t, filepath.Join("..", where))
		return strings.Contains(dashes(text), "--"+dashes(o.Name)) || o.Letter != "" && strings.Contains(text, " -"+o.Letter+" ")
	}
	files, err := filepath.Glob(filepath.Join("..", folder, "*_test.go"))
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range files {
		if strings.Contains(read(t, f), "func "+name+"(t *testing.T)") {
			return true
		}
	}
	return false
}

func read(t *testing.T, name string) string {
	t.Helper()
	data, err := os.ReadFile(name)
	if err != nil {
		t.Error(err)
	}
	return string(data)
}
