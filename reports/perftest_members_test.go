package reports

import (
	"encoding/json"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/ibperf/ibperf/internal/testresult"
	"github.com/ibperf/ibperf/option"
	"github.com/ibperf/ibperf/result"
)

// The names of perftest's members, as 6.29 writes them.
const (
	ofAllTests  = "Connection_type Data_ex_method Device Dual_port Link_type Mtu Number_of_qps PCIe_relax_order Transport_type Use_MUSA_memory Use_ROCm_memory Using_SRQ ibv_wr_API rdma_cm_QPs test"
	ofBandwidth = "BW_average BW_peak MsgRate MsgSize n_iterations"
	ofLatency   = "MsgSize n_iterations percentile_99 percentile_99.9 t_avg t_max t_min t_stdev t_typical"
	ofMean      = "MsgSize n_iterations t_avg tps_average"
)

// A file has the members of perftest's, and their values are those of the text.
func TestMembersOfPerftest(t *testing.T) {
	for _, c := range []struct {
		op            option.Op
		kind          option.Kind
		role          string
		change        func(*result.Parameters, *option.Own)
		test          string
		info, results string // names beyond ofAllTests, and all
	}{
		{"write", option.KindBandwidth, "client", nil, "RDMA_Write_BW_Test", "CQ_Moderation Max_inline_data TX_depth", ofBandwidth},
		{"write", option.KindBandwidth, "server", nil, "RDMA_Write_BW_Test", "CQ_Moderation Max_inline_data", ofBandwidth},
		{"send", option.KindBandwidth, "server", nil, "Send_BW_Test", "CQ_Moderation Max_inline_data RX_depth", ofBandwidth},
		{"send", option.KindBandwidth, "client", func(p *result.Parameters, own *option.Own) { p.Both, p.PostList, own.Output = true, 4, "bandwidth" },
			"Send_Bidirectional_Post_List_BW_Test", "CQ_Moderation Max_inline_data Post_List RX_depth TX_depth", ofBandwidth + " bw_avg"},
		{"write", option.KindLatency, "client", func(p *result.Parameters, _ *option.Own) { p.WriteWithImm, p.Completion = true, option.ModeEvent },
			"RDMA_Write_imm_Latency_Test", "Max_inline_data TX_depth Test with events", ofLatency},
		{"read", option.KindLatency, "client", func(p *result.Parameters, own *option.Own) { p.Duration, own.Output = 1e9, "latency" },
			"RDMA_Read_Latency_Test", "Outstand_reads TX_depth", ofMean + " avg_lat"},
		{"atomic", option.KindLatency, "client", nil, "Atomic_FETCH_AND_ADD_Latency_Test", "Outstand_reads TX_depth", ofLatency},
	} {
		f, s := testresult.File(t, c.op, c.kind, []int{8, 64}, "poll"), option.New(option.Test{Op: c.op, Kind: c.kind})
		f.Role, f.Parameters.Plan = c.role, s.Plan.Resolve()
		f.Local.Device.GIDIndex, f.Parameters.Inline = -1, 0
		f.Parameters.CQMod = 100
		if c.change != nil {
			c.change(&f.Parameters, &s.Own)
		}
		AddPerftest(f, &s.Own)
		got := members(t, f)
		if want := strings.Fields(ofAllTests); f.TestInfo.Test != c.test || !sameNames(got.TestInfo, append(want, split(c.info)...)) || !sameNames(got.Results, strings.Fields(c.results)) {
			t.Errorf("%s %s: %+v", c.op, c.kind, got)
		}
		if got.Results["MsgSize"] != 64.0 {
			t.Errorf("%s %s: not of the last row: %+v", c.op, c.kind, got.Results)
		}
	}
}

// split splits names; that of events has blanks.
func split(names string) []string {
	names, events := strings.CutSuffix(names, " Test with events")
	all := strings.Fields(names)
	if events {
		all = append(all, "Test with events")
	}
	return all
}

type perftestMembers struct {
	TestInfo map[string]any `json:"test_info"`
	Results  map[string]any `json:"results"`
}

func members(t *testing.T, f *result.File) (m perftestMembers) {
	t.Helper()
	data, err := json.Marshal(f)
	if err == nil {
		err = json.Unmarshal(data, &m)
	}
	if err != nil {
		t.Fatal(err)
	}
	return m
}

func sameNames(have map[string]any, want []string) bool {
	slices.Sort(want)
	return slices.Equal(slices.Sorted(maps.Keys(have)), want)
}

// Rates are in the unit of the text, and no number has an exponent.
func TestUnitsOfPerftestsMembers(t *testing.T) {
	f := testresult.File(t, "write", option.KindBandwidth, []int{8}, "poll")
	f.Rows[0].Bandwidth.Average, f.Rows[0].Bandwidth.Peak, f.Rows[0].Bandwidth.MsgRate = 1<<20, 0, 0.5
	for gbits, want := range map[bool]string{false: `"BW_average":1,"MsgRate":0}`, true: `"BW_average":0.008389,"MsgRate":0}`} {
		own := option.New(option.Test{}).Own
		own.Gbits = gbits
		AddPerftest(f, &own)
		f.Results.MsgRate = decimal(4e-8)
		if data, err := json.Marshal(f.Results); err != nil || !strings.HasSuffix(string(data), want) {
			t.Errorf("Gb/s %v: %s, %v", gbits, data, err)
		}
	}
}
