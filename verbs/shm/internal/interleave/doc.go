// Package interleave runs concurrent code in all orders of its accesses to shared memory, or in many random ones.
//
// Code under test calls [Step] before each access. Tests describe parties, which are goroutines of which one runs at a
// time, and [All] runs them again and again, each time with another order of their steps. Accesses are sequentially
// consistent: what a CPU may reorder beyond that is not found.
//
// Only the build tag interleave makes Step do this. Without it Step costs nothing.
package interleave
