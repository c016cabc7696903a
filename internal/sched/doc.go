// Package sched is what the kernel's scheduler offers to threads: their CPUs, giving a CPU
// away, sleeping, counts. It is Linux's; elsewhere threads cannot be kept on CPUs, and
// nothing is counted.
package sched
