// Package offers finds out which verbs a device offers, by calling them. Its test
// makes the table in docs/VERBS.md: the column of the embedded device each time, and of
// soft RoCE that of the kernel that it runs on. See the test for how to renew it.
package offers
