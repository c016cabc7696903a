package shm

import (
	"golang.org/x/sys/unix"

	"github.com/ibperf/ibperf/verbs"
)

// ownQKey in a request stands for the sending QP's Q_Key. A Q_Key with this bit
// can so be sent only by QPs that have it, and only the privileged may set one.
const ownQKey = 1 << 31

// qkeyAllowed tells whether the calling thread may set the Q_Key.
func qkeyAllowed(a *verbs.QPAttr, mask verbs.QPAttrMask) bool {
	return mask&verbs.MaskQKey == 0 || a.QKey&ownQKey == 0 || hasNetRaw()
}

// hasNetRaw tells whether the calling thread has CAP_NET_RAW.
func hasNetRaw() bool {
	header := unix.CapUserHeader{Version: unix.LINUX_CAPABILITY_VERSION_3}
	var data [2]unix.CapUserData
	return unix.Capget(&header, &data[0]) == nil && data[0].Effective>>unix.CAP_NET_RAW&1 != 0
}
