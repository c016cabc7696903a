// Package externalmodule checks that other modules can use package verbs. Its test builds the program
// in testdata in a separate module, and runs it on the devices of this host.
package externalmodule
