package main

import "slices"

// mutations returns all faults by what they are faults of.
func mutations() []mutation {
	return slices.Concat(memoryFaults, requestFaults, completionFaults, eventFaults, connectionFaults, stateFaults,
		fastFaults, transportFaults, datagramFaults, sharedFaults)
}
