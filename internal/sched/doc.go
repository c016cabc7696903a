// Package sched wraps the kernel's scheduler calls for threads: CPU affinity, yielding, sleeping and
// counts of context switches. On systems other than Linux affinity fails and counts are 0.
package sched
