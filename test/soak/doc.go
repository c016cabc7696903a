// Package soak loads the embedded device for as long as one likes, through the verbs
// API alone, and checks every byte that arrives. See TestSoak.
package soak
