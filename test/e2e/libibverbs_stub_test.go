package e2e

// efa holds variables that make stub0 an EFA device with READ and WRITE. It promises the order of
// blocks, and one in every three requests is overtaken.
var efa = []string{"STUB_EFA=10", "STUB_ORDER=2", "STUB_OVERTAKE=3"}
