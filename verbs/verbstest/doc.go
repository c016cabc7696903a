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
// regions, CQ completion queues, CHN completion channels, QPS states of QPs, QRY
// query_qp, SND and RCV posting, RMA WRITE and READ, WC fields of completions,
// ERR statuses, DIO the promise of data order, UD datagrams, MC multicast, AEV
// asynchronous events, SRQ shared receive queues, XRC extended connections, E
// errnos of misuse, ABI binary interface. [Coverage] lists all of them: those that
// are asserted, and those that are left out with the reason.
//
// # Quirks
//
// Where a family of devices is known to do something else, a [Quirk] names the
// statements and says what the devices do instead. That is asserted too: the
// statement fails when the device starts to behave as everybody else does, and
// the quirk is to be removed.
package verbstest
