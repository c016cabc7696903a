package shm

import "github.com/ibperf/ibperf/verbs"

// ownQKey in a request stands for the sending QP's Q_Key. A Q_Key with this bit
// can so be sent only by QPs that have it, and only the privileged may set one.
const ownQKey = 1 << 31

// qkeyAllowed tells whether the calling thread may set the Q_Key.
func qkeyAllowed(a *verbs.QPAttr, mask verbs.QPAttrMask) bool {
	return mask&verbs.MaskQKey == 0 || a.QKey&ownQKey == 0 || hasNetRaw()
}
