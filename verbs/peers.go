package verbs

// PeerAbandoner is a [Context] whose calls may wait for the processes of its peers, as calls of
// the embedded device do.
type PeerAbandoner interface {
	// AbandonPeers declares the processes of all peers lost, or this process about to end. Present and
	// later calls do not wait for peers. It is safe for concurrent use.
	AbandonPeers()
}
