// Package verbsupport calls every verb of a device to find which it supports. Its test compares
// docs/VERBS.md with the answers of the embedded device, and of soft RoCE in the guest. The
// test's comments say how to renew them.
package verbsupport
