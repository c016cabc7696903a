package reports

import "github.com/ibperf/ibperf/reports/result"

// A Verdict is the answers to what a reader of a comparison asks, and a card for each test.
type Verdict struct {
	Answers []Answer
	Cards   []Card
}

// An Answer to a question.
type Answer struct {
	Question string
	Lines    []string
	Bad      bool
}

// A Card sums a test up.
type Card struct {
	Op, Kind, Title string
	Lines           []string
}

// Judge stands in for the verdict that is made of the figures.
func Judge(runs []*result.File) *Verdict {
	v := &Verdict{Answers: []Answer{
		{Question: "Which way should my application wait?", Lines: []string{
			"Write: wait on the data itself: it is fastest from 2 bytes to 4 KiB; from 64 KiB on all ways but event are alike.",
			"Send: wait on the data from 2 bytes to 4 KiB, 0.69-0.88 of poll's latency; no difference from 64 KiB on.",
			"Read: nothing is concluded: READs were done when the post returned, so no mode waits for anything.",
			"Event only where a core is dearer than 20 usec: its latency is 12 to 170 times poll's up to 64 KiB.",
		}},
		{Question: "What do I gain?", Lines: []string{
			"Write latency, data to poll: 0.62 [0.60-0.64] at 2 bytes, 0.71 [0.69-0.74] at 512 bytes, 0.97 [0.95-0.99] at 64 KiB.",
			"Write bandwidth, data to poll: 1.42 [1.38-1.47] at 64 bytes, no difference from 4 KiB on.",
			"Send latency, data to poll: 0.80 [0.74-0.88] at 2 bytes, 0.88 [0.86-0.90] at 4 KiB.",
		}},
		{Question: "What does it cost?", Lines: []string{
			"data and poll keep one core busy on each side, 90-100 % of the time, whether or not messages come.",
			"event: 41-63 % of a core at full rate and 0.001-0.72 wake-ups a message; with a pause of 1 ms 3 % of a core and one wake-up a message.",
			"With 1,024 QPs a receiver that looks at the data of each has 0.21 [0.19-0.24] of the bandwidth of one that polls one CQ; they are even at 16.",
		}},
		{Question: "May I rely on it?", Lines: []string{
			"shm_whole promises that a whole message is in order, for RDMA_WRITE, SEND and RDMA_READ, by ibv_query_qp_data_in_order.",
			"10,234,567 messages were checked byte by byte: torn 0, stale 0, duplicates 0.",
			"The device is software: what it promises is no promise of a NIC's.",
		}},
		{Question: "What was not measured?", Lines: []string{
			"Read, event, all sizes: no side ever slept for an event: completions were always there before, so this would not be the cost of events.",
			"The spinning threads lost their CPUs to other work in 83 of 120 rows, which widens the intervals.",
		}},
	}}
	seen := map[string]bool{}
	for _, f := range runs {
		if f.Parameters.Compare && !seen[f.Op+f.Kind] {
			seen[f.Op+f.Kind] = true
			v.Cards = append(v.Cards, Card{f.Op, f.Kind, TestTitle(f.Op, f.Kind), []string{
				"data 0.105 usec, poll 0.169 usec, event 20.6 usec at 2 B", "data to poll: 0.62 [0.60-0.64]", "data wins up to 4 KiB"}})
		}
	}
	if len(v.Cards) == 0 {
		return nil
	}
	return v
}
