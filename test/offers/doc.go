// Package offers finds out which verbs a device offers, by calling them. Its test
// makes the table in docs/VERBS.md: the columns of the embedded device each time,
// and those of soft RoCE where there is one. See the test for how to renew it.
package offers
