// Package verbstest holds RDMA devices to the semantics of libibverbs. It is one
// suite for every backend: whatever implements package verbs, on hardware or
// not, runs the same statements.
//
// A test of a backend, or of a device that somebody is in doubt about, is
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
// An id is a topic and a number: DEV devices, PORT ports and GIDs, MR memory
// regions, MW memory windows, TD thread and parent domains, CQ completion queues, CHN completion channels, QPS states of QPs, QRY
// query_qp, SND and RCV posting, RMA WRITE and READ, WC fields of completions,
// ERR statuses, DIO the promise of data order, UD datagrams, MC multicast, AEV
// asynchronous events, SRQ shared receive queues, XRC extended connections, E
// errnos of misuse, ABI binary interface. [Coverage] lists all of them with their sources:
// those that are asserted, and those that are left out with the reason. The file sources.txt
// has the sources.
//
// A few statements hold for software, and hardware may rightly answer otherwise (sources.go
// says what, and why that is right). They do not fail on hardware.
//
// Programs other than tests run the statements one by one with [Check].
//
// # Quirks
//
// Where a family of devices is known to do something else, a [Quirk] names the statements
// and says what the devices do instead, and on which kernels. That is asserted too: the
// statement fails when the device starts to behave as everybody else does, and the quirk
// is to be removed. The file quirks.txt has those that are known. Others are read from a
// file of the same format ([ParseQuirks]) and handed to [TargetOf].
//
// A quirk is a paragraph of lines; lines that begin with # are comments:
//
//	quirk: V1
//	device: mlx5_* mlx5_core
//	kernel: from 6.1 below 6.12
//	statements: ERR-4 MR-14
//	fails: UD-15
//	does: what the device does instead
//	source: where that can be read, or who has seen it with what
//
// quirk is an id of letters and digits. device has patterns for the device's name, or its
// kernel driver (rdma_rxe for soft RoCE). kernel can be left out, and each of its halves;
// versions are those that uname tells. statements are those that know the quirk by its id
// and assert what the device does instead: ids of quirks.txt can be used for other devices.
// fails are statements that are known to fail, and no more: they are skipped with the quirk
// as the reason, and fail if they pass.
package verbstest
