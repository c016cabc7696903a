package option

import (
	"fmt"
	"slices"
	"strings"
)

// FindAbsent returns an option of perftest that the programs do not have, by name or letter; nil if
// perftest does not have it either.
func FindAbsent(name, letter string) *Absent {
	i := slices.IndexFunc(Absents, func(a Absent) bool {
		return name != "" && a.Name == name || letter != "" && a.Letter == letter
	})
	if i < 0 {
		return nil
	}
	return &Absents[i]
}

const perftestHead = `# Options of perftest

Each option of perftest: whether it is the same here, different, or not offered. This page is made from
the table of options (` + "`option/`" + `); ` + "`go test ./option -update`" + ` renews it. [OPTIONS.md](OPTIONS.md)
has all options by topic. Names, letters and defaults are perftest's unless this page says so. As in
perftest, a long name may be shortened to a beginning that no other option of perftest has; ` + "`-` and `_`" + ` are
the same. A program refuses an option that only other programs have, and names them. Numbers are read as in C: 0x60 is 96.
With ` + "`IBPERF_CONNECT_TIMEOUT=0`" + ` in the environment a client fails at once if its server is absent, as perftest's does; otherwise it waits.

The text is perftest's from the header to the closing rule, also the lines of addresses and a server's
"Waiting for client to connect". It differs so:

- The header has no lines for dual ports, PCIe relaxed ordering, lock-free QPs, ibv_wr, enhanced reordering, CQE polls and the way of
  exchanging data, and "TX depth" on both sides. It has lines of its own, such as "Completion" and "Data in order?".
- A comparison, which perftest lacks, prints no addresses; ratios and a verdict follow its rows. With --verify the result of the
  check follows the rows.
- Warnings that are known before the rows are in the header, later ones on stderr. A server with ` + "`-p 0`" + ` prints its port there.
- perftest prints notices such as "Disabling dynamic polling" on stdout, even with --output; there are none here.
- ` + "`--version`" + ` prints the program's name and its own version, with exit status 0.

` + "`test/e2e/testdata/beside.txt`" + ` has the command lines that are tested together with perftest's programs.
`

const perftestPeers = `
## perftest on the other side

A host that has only perftest can be the other side of a run. Neither side needs an option for that: start ` + "`ib_write_bw`" + ` of
either suite as the server, and that of the other one as the client. ibperf recognizes perftest by its first message. Header
and result file have perftest's version, whose options hold, and which side measured the rows. Give both sides the same -n, -s,
-a, -D, -q, -b, -c and -A: up to version 6.27 perftest sends no options, and a difference is seen as a hang or as an error at the
end. An ibperf server takes all of them but -b from a client of 6.28 or later.

| test | ibperf is the client | ibperf is the server |
| --- | --- | --- |
| write, read, atomic bandwidth | the figures are ibperf's, and perftest prints them too, without a peak | the figures are perftest's: its average, its peak and the rate of messages. With -a only those of the last size arrive |
| send bandwidth | ibperf's, of the sender | ibperf's, of the receiver; perftest prints its own |
| the same with -b | each side measures what it sends; the sum is over the longer of both times, and perftest adds both averages | the same |
| write and send latency | ibperf's; perftest prints its own, of the same messages | the same |
| read and atomic latency | ibperf's | none: only perftest's client has them |

- Exactly the messages that perftest counts are sent: there is no warm-up, and the first messages are in the figures. N messages
  of a latency test have N - 1 samples, each from one message to the next.
- ib_write_lat polls memory on both sides, as perftest always does. If this side's device promises no order, it needs
  ` + "`--force-data`" + `, and rows say so.
- The secret, --compare, --verify, --touch, rdma_cm, immediate data, XRC, SRD and multicast need ibperf on both sides, and are refused by name. So is
  a server of version 6.28, which waits for a message whose length depends on how it was built; as a client it works.
- perftest sends no signs of life. If it ends or its host vanishes, this side ends within 5 s with status 4; if it
  hangs, by the limit for messages that do not arrive, and with -D some time after its end. Where this side only serves
  reads and writes without -D, it waits until --max-time.
`

const perftestQPs = `
## How QPs are created

Read in perftest's main branch of July 2026: create_reg_cqs and ctx_qp_create in src/perftest_resources.c,
ctx_set_max_inline in src/perftest_parameters.c. A test compares the queues of both suites on a stub of an
mlx5 device (` + "`test/e2e/queue_memory_test.go`" + `).

| of a QP | perftest | here |
| --- | --- | --- |
| call on mlx5, EFA, hns and Yunsilicon | ibv_create_qp_ex with the one operation of the test | the same, with the operations that the test uses |
| further operations | none | WRITE, which ends a round and returns slots; SEND, which uses up receives, where messages take receives. On RC the entries of libmlx5 keep their 64 bytes |
| call on other devices, or with --use_old_post_send | ibv_create_qp, ibv_post_send | the same |
| out-of-order placement on mlx5 | RC, where both devices offer it; not with --rdma_cm | the same in modes poll, adaptive and event; never in mode data and in comparisons |
| scatter to CQE on mlx5 | on | on; off where SENDs are detected in memory |
| inline size, bandwidth tests | 0 | 0 |
| inline size, latency tests | 220 for WRITE, 236 for SEND, 188 over UD; less for devices that it knows by name; 0 for unknown ones | the same beginning, then the largest of perftest's sizes that the device grants |
| send queue, bandwidth tests | --tx-depth | --tx-depth, at least 2 and at most the number of messages; where the receiver uses each message, 8 to 32 more for returned slots |
| send queue, latency tests | 1 | up to 52, for a ring of messages |
| receive queue, WRITE and READ | 1 | 1; with several RC QPs an empty SRQ instead |
| receive queue, messages that take receives | --rx-depth, 512 or 1 | --rx-depth, 512, at most the number of messages, rounded up to the ring |
| SGEs of a request | 1 | 1 |
| send CQ | --tx-depth for each QP | the size of the send queue for each QP |
| receive CQ | --rx-depth for each QP; none for WRITE and READ | the size of the receive queue for each QP; one entry for WRITE and READ |
| call for CQs | ibv_create_cq_ex | ibv_create_cq |
| sq_sig_all | 0 | 0 |
| signaled requests | see --cq-mod | see --cq-mod |
| service level, traffic class, hop limit | 0, 0, 255 | 0, 0, 255 |
| timeout, retries, RNR retries | 14, 7, 7 | 14, 7, 7 |
| minimal RNR timer | 12 (640 usec) | 1 (10 usec) |
| remote access | that of the operation | read and write, with atomic operations where they are tested; over SRD that of the operation |
`

// PerftestPage returns the page of all options of perftest, as Markdown. Only a test calls it, whose
// -update writes docs/PERFTEST.md.
func PerftestPage() string {
	var equal, different, own []string
	for _, o := range table {
		name := written(o.Name, o.Letter)
		switch o.Perftest {
		case "":
			own = append(own, fmt.Sprintf("| %s | %s | %s |", name, o.programs(), strings.ReplaceAll(o.Help, "|", `\|`)))
		case same:
			equal = append(equal, fmt.Sprintf("| %s | %s | %s |", name, o.programs(), strings.ReplaceAll(o.Help, "|", `\|`)))
		default:
			different = append(different, fmt.Sprintf("| %s | %s | %s | %s |", name, o.programs(), strings.ReplaceAll(o.Help, "|", `\|`), o.Perftest))
		}
	}
	var absent []string
	for _, a := range Absents {
		absent = append(absent, fmt.Sprintf("| %s | %s |", written(a.Name, a.Letter), a.Why))
	}
	var b strings.Builder
	b.WriteString(perftestHead)
	b.WriteString(perftestPeers)
	b.WriteString(perftestQPs)
	section(&b, "The same", "| option | programs | meaning |", equal)
	section(&b, "Different, and how", "| option | programs | meaning | different |", different)
	section(&b, "Not offered", "| option | why |", absent)
	section(&b, "What perftest does not have", "| option | programs | meaning |", own)
	return b.String()
}

func section(b *strings.Builder, title, head string, lines []string) {
	rule := strings.Repeat("| --- ", strings.Count(head, "|")-1) + "|"
	fmt.Fprintf(b, "\n## %s\n\n%s\n%s\n%s\n", title, head, rule, strings.Join(lines, "\n"))
}

func written(name, letter string) string {
	if letter == "" {
		return "`--" + name + "`"
	}
	return "`-" + letter + "`, `--" + name + "`"
}

// Owners names the programs that have the option, in a sentence.
func (o *Option) Owners() string {
	switch all := o.programs(); {
	case all == string(KindBandwidth):
		return "the bandwidth tests"
	case all == string(KindLatency):
		return "the latency tests"
	case strings.HasPrefix(all, "all"):
		return "the tests (ib_write_bw and the others)"
	case strings.HasPrefix(all, "ib_"):
		return all
	default:
		return "ib_" + strings.ReplaceAll(all, ", ", ", ib_")
	}
}

// programs names the programs that have the option, for a table.
func (o *Option) programs() string {
	having := slices.DeleteFunc(Tests(), func(t Test) bool { return !o.In(t) })
	switch len(having) {
	case 0:
		switch {
		case o.InConform():
			return ConformProgram
		case !o.InVerify():
			return CompareProgram
		case !o.InCompare():
			return VerifyProgram
		}
		return CompareProgram + ", " + VerifyProgram
	case len(Tests()):
		switch o.Scope {
		case Client:
			return "all, client"
		case Server:
			return "all, server"
		}
		return "all"
	}
	return programsOf(having)
}

// programsOf names the programs of tests: bw or lat if they are all bandwidth or all latency tests.
func programsOf(tests []Test) string {
	var names []string
	for _, t := range tests {
		names = append(names, strings.TrimPrefix(t.Program(), "ib_"))
	}
	first := tests[0].Kind
	if len(tests) == len(Tests())/2 && !slices.ContainsFunc(tests, func(t Test) bool { return t.Kind != first }) {
		return string(first)
	}
	return strings.Join(names, ", ")
}

// Perftest describes the other side of a run if it is perftest.
type Perftest struct {
	Version string // that it announces, such as "6.06"
	Server  bool   // it is the server, and the other side the client
	Cycle   int    // bytes of each QP's memory that it uses for messages of up to half this size
}
