package verbstest

// rxeQuirks is what soft RoCE (the kernel's rdma_rxe, seen with Linux 6.1 and
// libibverbs 44) does in its own way, as far as statements meet it.
var rxeQuirks = Quirks{
	"Q01": {"a send posted below RTS is refused, yet stays in the queue and is executed from RTS on", []string{"QPS-17"}},
	"Q02": {"a receive posted in ERR is accepted and never flushed", []string{"QPS-21"}},
	"Q04": {"a wrong local key of a SEND or WRITE is LOC_QP_OP_ERR; only a wrong range is LOC_PROT_ERR", []string{"ERR-4", "MR-14", "UD-19"}},
	"Q05": {"a receive that is too short or whose memory is wrong is LOC_QP_OP_ERR, for the sender REM_OP_ERR",
		[]string{"ERR-7", "ERR-8", "MR-9", "MR-22", "RCV-10", "SRQ-17"}},
	"Q06": {"no COMM_EST, QP_REQ_ERR, QP_ACCESS_ERR, QP_FATAL or QP_LAST_WQE_REACHED is raised", []string{"AEV-5", "AEV-6", "AEV-7", "SRQ-16"}},
	"Q07": {"a local error of a UC or UD QP leads to ERR, never to SQE", []string{"QPS-28", "UD-19"}},
	"Q08": {"a CQ that overruns drops completions and goes on working", []string{"CQ-7", "CQ-12", "AEV-7"}},
	"Q09": {"armed for solicited completions, a failed send raises no event", []string{"CHN-8"}},
	"Q11": {"retry_cnt 7 is for ever", []string{"ERR-19"}},
	"Q12": {"SQ_DRAINED comes unasked, a request that waits for a receive does not count as begun, and sends held back in SQD start with the next post after the return to RTS",
		[]string{"QPS-25", "QPS-26", "QPS-27"}},
	"Q13": {"a Q_Key with the top bit is sent as it is", []string{"UD-10"}},
	"Q14": {"a READ with max_rd_atomic 0 never completes", []string{"RMA-14"}},
	"Q15": {"a group's messages come after the network interface has joined it by IP only", []string{"MC-10"}},
	"Q16": {"ZERO_BASED is ignored, and no data order is ever promised", []string{"MR-18", "DIO-2"}},
	"Q17": {"an operation that the transport lacks is posted and completes with LOC_QP_OP_ERR", []string{"SND-2"}},
	"Q18": {"a message longer than max_msg_sz is sent", []string{"SND-26", "ERR-6"}},
	"Q19": {"a UC QP may be on an SRQ", []string{"SRQ-14"}},
	"Q20": {"P_Key index, access flags, MTU 0, retry_cnt and max_dest_rd_atomic are not checked", []string{"QPS-12"}},
	"Q21": {"attributes keep their values over a move to RESET", []string{"QRY-11"}},
	"Q25": {"a UD receive that is too short is LOC_QP_OP_ERR and takes the QP to ERR", []string{"UD-15"}},
	"Q26": {"the receive of a WRITE_WITH_IMM with a wrong key is REM_ACCESS_ERR", []string{"ERR-12"}},
	"Q27": {"an inline READ is posted and completes with LOC_PROT_ERR", []string{"SND-17"}},
	"Q28": {"an atomic operation takes more than 8 bytes of local memory", []string{"RMA-9"}},
	"Q30": {"a receive posted beside an SRQ is refused without bad_wr", []string{"E-15", "RCV-8"}},
}
