// Package machine describes this host and sets what the programs need of it: kernel, CPU and governor of a result
// file, how the host and the slot of a device are set up, the CPUs near a device or on a NUMA node, the counters of a
// port, the exit latency of idle states, and a small footprint of the process.
package machine
