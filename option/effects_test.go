package option

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// effects are the tests that show what each option does: by folder and name, or a script in
// which the option stands. Options that are accepted without effect have none.
var effects = map[string]string{
	"port": "test/e2e TestReadyFileHoldsThePort", "bind_source_ip": "internal/cli TestClientsLocalAddress", "connect-timeout": "test/e2e TestNoServer",
	"persistent": "test/e2e TestPersistentServer", "ready-file": "internal/cli TestReadyFile", "secret-file": "internal/cli TestSecretKeepsStrangersOut",
	"max-memory": "internal/cli TestBudget", "max-qp": "internal/cli TestBudget", "max-time": "internal/cli TestServerEndsLongRuns",
	"ib-dev": "internal/cli TestChooseClient", "ib-port": "test/e2e TestTwoPorts", "gid-index": "harness TestBothSidesAgreeOnGIDs", "pin_cores": "test/e2e TestPinCores",
	"pkey_index": "harness TestOwnPathOfASide", "dlid": "harness TestOwnPathOfASide", "vector": "harness TestOwnPathOfASide",
	"numa_node": "verbs TestBindNUMA", "payload_file_path": "harness TestPayload",
	"size": "test/e2e/testdata/each/sizes.txtar", "iters": "harness TestBandwidthIsExact",
	"duration": "harness TestBandwidthOfRounds", "run_infinitely": "harness TestEndlessRunStops", "qp": "harness TestEveryQPHasItsTurn",
	"connection": "harness TestEveryTransportMovesEveryByte", "use-srq": "harness TestEveryTransportMovesEveryByte",
	"tx-depth": "harness TestDepthOfABandwidthTest", "rx-depth": "harness TestReceivesOfABandwidthTest", "cq-mod": "harness TestSignals",
	"rate_limit": "harness TestRateLimit", "rate_units": "harness TestRateLimit", "burst_size": "harness TestRateLimit",
	"post_list": "harness TestPostLists", "recv_post_list": "harness TestPostLists",
	"bidirectional": "harness TestBothDirectionsAreBytesOverTime", "reversed": "harness TestReversed", "mtu": "harness TestPathOfTheQPs",
	"rdma_cm": "harness TestConnectedByAddress", "tos": "harness TestConnectedByAddress", "tclass": "harness TestTrafficClass",
	"inline_size": "harness TestInlineSize", "offset": "harness TestBlockOrderAtAnyOffset", "latency_gap": "test/e2e TestLatencyGap",
	"noPeak": "harness TestNoPeak", "disable_pcie_relaxed": "harness TestRelaxedOrdering",
	"sl": "harness TestPathOfTheQPs", "flow_label": "harness TestPathOfTheQPs", "qp-timeout": "harness TestPathOfTheQPs", "retry_count": "harness TestPathOfTheQPs",
	"ipv6": "harness TestGIDsOfIPv6ComeFirst", "write_with_imm": "harness TestImmediateData", "send_with_imm": "harness TestImmediateData",
	"cqe_poll": "harness TestCompletionsTakenAtATime", "no_lock": "harness TestQPsWithoutLocks", "mr_per_qp": "harness TestRegionForEachQP",
	"odp": "harness TestOnDemandPaging", "use_hugepages": "verbs TestHugeBuffer", "margin": "harness TestMarginIsWarmUp",
	"atomic_type": "harness TestAtomicRequests", "outs": "harness TestOutstanding", "mcg": "harness TestMessagesToAGroup", "MGID": "harness TestGroupsOfBothSides",
	"completion": "test/e2e/testdata/each/modes.txtar", "compare": "harness TestComparisonsAreLikeWithLike",
	"touch": "test/e2e TestTouch", "verify": "test/e2e TestWrongDataIsFound", "force-data": "test/e2e/testdata/each/devices.txtar",
	"also": "test/e2e TestFurtherRows", "rounds": "test/e2e TestRoundsAndRuns", "runs": "test/e2e TestRoundsAndRuns",
	"precision": "test/e2e TestPrecision", "time-limit": "test/e2e TestPrecision",
	"loopback": "test/e2e TestConform", "run": "test/e2e TestConform", "quirks": "test/e2e TestConformQuirks", "may-crash": "internal/cli TestConformSkipsADevice", "list": "test/e2e TestConformList",
	"report_gbits": "test/e2e/testdata/each/output.txtar", "report-both": "test/e2e/testdata/each/directions.txtar", "output": "test/e2e/testdata/each/output.txtar",
	"report-histogrm": "reports TestSamplesStandBeforeTheirRow", "report-unsorted": "reports TestSamplesStandBeforeTheirRow", "report-cycles": "reports TestSamplesStandBeforeTheirRow",
	"cpu_util": "test/e2e/testdata/each/output.txtar", "report-counters": "harness TestCountersOfARow",
	"limit_bw": "test/e2e/testdata/each/output.txtar", "limit_msgrate": "test/e2e/testdata/each/output.txtar",
	"format": "test/e2e/testdata/each/output.txtar", "format_file": "test/e2e/testdata/each/output.txtar",
	"out_json": "internal/cli TestResultFile", "out_json_file": "test/e2e TestResultFiles", "dir": "internal/cli TestComparisonLeaves", "bundle": "internal/cli TestComparisonLeaves",
	"CPU-freq": "internal/cli TestFrequencyWarning", "help": "internal/cli TestHelpNamesEveryOption", "version": "test/e2e/testdata/once/usage.txtar",
}

// Every option has a test that shows its effect.
func TestEveryOptionHasAnEffect(t *testing.T) {
	for _, o := range Table() {
		where, listed := effects[o.Name]
		if o.As != "" {
			writes(t, o)
			continue
		}
		if o.Group == groupAccepted {
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

// writes checks that an option which is another way to write one sets that.
func writes(t *testing.T, o *Option) {
	t.Helper()
	s := New(Test{OpSend, KindBandwidth})
	before := Find(o.As).Text(&s)
	if err := o.Set(&s, example(o)); err != nil || Find(o.As).Text(&s) == before {
		t.Errorf("--%s leaves --%s at %q: %v", o.Name, o.As, before, err)
	}
}

// shows tells whether a test of a folder, or a script, is there and has the option.
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
