// Package outside holds that package verbs can be used from other modules. Its test builds
// the program in testdata in a module of its own, and runs it on the devices that are here.
package outside
