// Package testcase resolves a plan. It needs no device, and is the only package of the engine that
// asks a plan for operation, kind and completion mode.
//
// A plan is resolved in two steps, because QPs must exist before a device can be asked about data
// order:
//
//	plan --NewSet--> Set --Resolve(modes, sizes, order)--> [][]Case
//
// [Set] is made once, before the QPs. Its layout of memory, sizes of queues and attributes of QPs
// are large enough for every case that may follow. [Set.Resolve] makes the cases once, when the
// answers of both devices are known. A [Case] is one size in one completion mode; the loops read
// its fields and ask nothing else.
//
//   - mode.go: completion modes and which of them a plan has
//   - role.go: roles, and sets of sides
//   - set.go, attributes.go: a plan before the devices have answered; types and attributes of QPs
//   - case.go: one test resolved: opcode, roles, detection
//   - shape.go, rate_limit.go: ring, depth, signals, receives; bursts
//   - layout.go, queue_sizes.go: memory of a side; requests that queues hold
package testcase
