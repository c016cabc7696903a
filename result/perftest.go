package result

// TestInfo is a member of the file of perftest 6.29: the parameters of a test, under the names that programs look for.
type TestInfo struct {
	Test        string `json:"test" about:"title of the test, with _ in place of blanks"`
	Events      string `json:"Test with events,omitempty" about:"only with mode event"`
	Multicast   string `json:"MultiCast_runs,omitempty" about:"only with multicast"`
	DualPort    string `json:"Dual_port" about:"always OFF"`
	Device      string `json:"Device"`
	QPs         int    `json:"Number_of_qps"`
	Transport   string `json:"Transport_type" about:"IB, or SHM for an embedded device"`
	Connection  string `json:"Connection_type"`
	UsingSRQ    string `json:"Using_SRQ" about:"ON or OFF"`
	Relaxed     string `json:"PCIe_relax_order" about:"ON or OFF"`
	NewPosts    string `json:"ibv_wr_API" about:"OFF if requests were posted by ibv_post_send on all devices"`
	TxDepth     int    `json:"TX_depth,omitempty" about:"only of a side that sends"`
	PostList    int    `json:"Post_List,omitempty" about:"only above 1"`
	RecvList    int    `json:"Recv_Post_List,omitempty" about:"only above 1"`
	RxDepth     int    `json:"RX_depth,omitempty" about:"only of a side that posts receives"`
	CQMod       int    `json:"CQ_Moderation,omitempty" about:"only of bandwidth tests"`
	MTU         int    `json:"Mtu"`
	LinkType    string `json:"Link_type"`
	GIDIndex    *int   `json:"GID_index,omitempty"`
	Inline      *int   `json:"Max_inline_data,omitempty" about:"not of READs and atomic operations"`
	Outstanding *int   `json:"Outstand_reads,omitempty" about:"of READs and atomic operations"`
	RDMACM      string `json:"rdma_cm_QPs" about:"ON or OFF"`
	CUDA        *int   `json:"cuda_device,omitempty" about:"only with an NVIDIA GPU"`
	ROCm        string `json:"Use_ROCm_memory" about:"ON or OFF"`
	MUSA        string `json:"Use_MUSA_memory" about:"always OFF"`
	Exchange    string `json:"Data_ex_method" about:"always Ethernet"`
	TOS         *int   `json:"TOS,omitempty" about:"only if given"`
}

// Results is a member of the file of perftest 6.29: the last row of a test, in the units of its text.
type Results struct {
	Size       int    `json:"MsgSize" about:"bytes"`
	Iterations uint64 `json:"n_iterations"`

	Peak    *float64 `json:"BW_peak,omitempty" about:"in the unit of the text: MiB/s, or Gb/s with --report_gbits; 0 if not measured"`
	Average *float64 `json:"BW_average,omitempty" about:"in the unit of the text: MiB/s, or Gb/s with --report_gbits"`
	MsgRate *float64 `json:"MsgRate,omitempty" about:"10^6 messages/s"`

	Min     *float64 `json:"t_min,omitempty" about:"usec"`
	Max     *float64 `json:"t_max,omitempty" about:"usec"`
	Typical *float64 `json:"t_typical,omitempty" about:"median, usec"`
	Mean    *float64 `json:"t_avg,omitempty" about:"usec"`
	Stdev   *float64 `json:"t_stdev,omitempty" about:"usec"`
	P99     *float64 `json:"percentile_99,omitempty" about:"usec"`
	P999    *float64 `json:"percentile_99.9,omitempty" about:"usec"`
	Rate    *float64 `json:"tps_average,omitempty" about:"of timed latency tests, 1/s"`

	CPUUtil *float64 `json:"CPU_util,omitempty" about:"only with --cpu_util, percent"`

	// With --output perftest's file has one of these alone.
	OnlyBandwidth *float64 `json:"bw_avg,omitempty" about:"only with --output bandwidth: BW_average"`
	OnlyRate      *float64 `json:"msgRate_avg,omitempty" about:"only with --output message_rate: MsgRate"`
	OnlyLatency   *float64 `json:"avg_lat,omitempty" about:"only with --output latency: t_avg"`
}
