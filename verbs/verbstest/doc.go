// Package verbstest checks RDMA devices against the semantics of libibverbs. Every
// backend of package verbs, on hardware or not, runs the same suite of statements.
//
// A test of a backend or a device is
//
//	func TestMain(m *testing.M) { verbstest.Child(); os.Exit(m.Run()) }
//
//	func TestConformance(t *testing.T) {
//		device, err := verbs.Lookup("mlx5_0")
//		if err != nil {
//			t.Fatal(err)
//		}
//		verbstest.Run(t, verbstest.TargetOf(device))
//	}
//
// The suite connects QPs of the device with each other, so it needs one active
// port and no second host. A few statements start the test binary again, as a
// second process. Each statement is a subtest with the statement's id:
//
//	go test -run 'TestConformance/QPS-17$'
//
// # Statements
//
// A statement is a sentence about verbs with its test. Its id is a topic and a number. Files
// begin with the name of the topic:
//
//	DEV   device*            devices
//	PORT  port*              ports, GIDs and P_Keys
//	MR    mr*                memory regions
//	MW    mw*                memory windows
//	TD    domain             thread and parent domains; also MR-25 and MR-26
//	CQ    cq*                completion queues
//	CHN   comp_channel*      completion channels
//	QPS   qps*, uc           states of QPs
//	QRY   query_qp           query_qp
//	SND   post_send*         posting sends
//	RCV   post_recv          posting receives
//	RMA   write_read, atomic WRITE, READ and atomic operations; RMA-16 in uc, RMA-21 in comp_counter
//	WC    wc                 fields of completions
//	ERR   error*             statuses
//	DIO   data_order*        the promise of data order
//	AEV   async_event        asynchronous events
//	UD    ud*                datagrams
//	MC    multicast*         multicast
//	SRQ   srq*               shared receive queues
//	XRC   xrc*               extended reliable connections
//	SRD   srd*               EFA's scalable reliable datagrams
//	E     misuse, closed     errnos of misuse
//	ABI   abi                binary interface
//
// [Coverage] lists all statements with their sources, which are in sources.txt, including
// the statements that the suite does not assert, with the reason (statements_left_out.go). suite.go runs
// them, side.go and package fixture make connected QPs, peer*.go and processes.go are the
// statements with a second process.
//
// A few statements hold for software, and hardware may legally behave differently; sources.go
// has the reasons. They do not fail on hardware.
//
// Programs other than tests run single statements with [Check].
//
// # Quirks
//
// A [Quirk] is a known deviation of a family of devices: the statements, what the devices do
// instead, and on which kernels. The suite asserts it too: the statement fails on a device that
// no longer deviates, and the quirk must be removed. The files quirks*.txt have the known quirks.
// [ParseQuirks] reads further quirks from a file of the same format, for [TargetOf].
//
// A quirk is a paragraph of lines; lines that begin with # are comments:
//
//	quirk: V1
//	driver: mlx5_core
//	part: 0x02c9:4129 MT_00000008*
//	kernel: from 6.1 below 6.12
//	library: from 40
//	firmware: below 28.39.2048
//	statements: ERR-4 MR-14
//	fails: UD-15
//	does: what the device does instead
//	source: a document or code, or the observation: observer, device and versions
//
// quirk is an id of letters and digits. A quirk has driver, part or both, and applies to devices that
// have all of what it names. driver has patterns for the module that drives the PCI function, or the
// name of the software: mlx5_core, efa, ice for an E810, rdma_rxe for soft RoCE, shm for an embedded
// device. part has patterns for vendor_id:vendor_part_id as ibv_devinfo prints them, or for the
// board id. kernel (uname(2)), library (rdma-core's version) and firmware (fw_ver), and each of their
// two halves, are optional. A version that is unknown counts as the newest. Names of devices do not
// matter, as udev changes them.
//
// statements know the quirk by its id and assert what the
// device does instead: ids of the embedded files can be used for other devices. fails are statements
// that are known to fail: they are skipped with the quirk as the reason, and fail if they
// pass.
package verbstest
