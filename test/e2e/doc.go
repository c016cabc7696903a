// Package e2e runs the programs as users do: as processes that talk over the loopback interface and
// measure on an embedded device. Its tests check what users and scripts rely on: output, exit statuses,
// result files, and that a process leaves nothing behind, whatever ended it.
//
// # Where a behaviour is tested
//
//	pair_start              a client before its server, a port in use, persistent servers
//	pair_transports         every operation over RC, UC, UD, XRC and SRD, with an SRQ; --verify
//	pair_srd                SRD: both directions, its longest message, its refusals
//	pair_ports              a device with two ports
//	pair_cpus               --pin_cores
//	pair_rounds             --rounds, --runs, --also, --touch, --latency_gap, --precision, event mode
//	pair_run_infinitely     --run_infinitely
//	pair_verify             wrong data on devices that promise no order, none on the others
//	scripts                 scripts of testdata: completion modes, devices, sizes, directions, output,
//	                        --noPeak, atomics, ib_caps, ib_report, conflicts and usage of options
//	compare                 ib_compare: verdict, files, interrupted and killed clients
//	no_verdict              comparisons beside other work
//	conform                 ib_conform: one process, a pair, quirks, reports, the list
//	signals                 SIGINT, SIGTERM, SIGHUP; nohup
//	lost_peer               a side is killed, or stopped, before and during a run
//	hostile_connections     other protocols, silent connections, impossible plans
//	hostile_flood           a server's memory under 1000 connections and large frames
//	hostile_peer            control characters in a peer's text, impossible figures
//	hostile_conform         ib_conform's server: sessions without a name, many sessions and processes
//	device_choice           no usable RDMA device, no cgo, no rdma_cm, IBPERF_DEVICE
//	device, device_*        the tests TestDevice..., on a real RDMA device
//	output_errors           a full disk, a missing folder, the ready file
//	output_pipe             stdout whose reader closes it
//	output_folder           folders with files that ibperf did not write
//	result_file             result files of both sides, compared with the printed rows
//	result_schema           the JSON schema of result files, Python that reads them
//	text_table              the printed rows (helpers of other tests)
//	text_scrapers           programs that read perftest's text
//	perftest_commands       command lines of perftest's users, testdata/commands.txt
//	perftest_figures        the same command lines with perftest's programs, testdata/beside.txt
//	complaints              the commands of docs/COMPLAINTS.md
//	program_list            each program in cmd is tested
//	trials                  whole tables, of which the other tests run a sample
//
// The helpers are in programs (programs, modes, samples), workspace (a test's folder, pairs), process (one
// program), host_state (sockets, CPU time, TCP ports) and libibverbs_stub (the device stub0).
//
// # How they run
//
// The two processes of a pair poll on both cores of a small machine, so most tests run one after another.
// Parallel are those that wait for a time limit. No test sleeps for a fixed time: a test waits for a
// condition, with a deadline that a busy machine meets. Where a program promises a time limit, the test
// adds the time for which the program's threads waited for a CPU.
//
// A test of a whole table, such as every program in every mode on either side, runs a sample, which its
// comment describes. The rest needs the build tag trials. In the folder test:
//
//	go test ./e2e -tags trials -run TestTrial -timeout 30m
//
// IBPERF_LONG=1 adds a test of millions of messages, which needs -timeout 2h.
//
// The tests named TestDevice run the programs on an RDMA device, which -device names:
//
//	go test ./e2e -run '^TestDevice' -device mlx5_0 -address 10.0.0.1
package e2e
