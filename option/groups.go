package option

// The groups of options in help texts and pages.
const (
	groupWorkload   = "Workload"
	groupLength     = "Length and pace"
	groupCompletion = "Completion mode"
	groupComparison = "Comparison"
	groupTransport  = "Transport"
	groupQueues     = "Queues"
	groupPath       = "Path"
	groupMemory     = "Memory"
	groupDevice     = "Device"
	groupConnection = "Connection"
	groupStatements = "Statements"
	groupOutput     = "Output"
	GroupAccepted   = "Accepted and ignored; what ibperf does instead"
)

// groups are the groups in their order.
var groups = []string{
	groupWorkload, groupLength, groupCompletion, groupComparison, groupTransport, groupQueues, groupPath, groupMemory,
	groupDevice, groupConnection, groupStatements, groupOutput, GroupAccepted,
}

// OwnershipNote says on which side options are given.
const OwnershipNote = "Options of the groups Device, Connection and Output are each side's own. " +
	"All others hold for both sides: give them on one side, or with the same value on both."

// Group is a group of options in help texts and pages.
type Group struct {
	Title   string
	Options []*Option
}

// TestGroups returns the groups of the options that a test takes. Options that the test accepts and
// ignores are in the last group.
func TestGroups(t Test) []Group {
	return groupsOf(func(o *Option) bool { return o.Takes(t) }, func(o *Option) string {
		if o.idleIn(t) {
			return GroupAccepted
		}
		return o.Group
	})
}

// Groups returns the groups of the options that has selects, in the order of help texts.
func Groups(has func(*Option) bool) []Group {
	return groupsOf(has, func(o *Option) string { return o.Group })
}

func groupsOf(has func(*Option) bool, title func(*Option) string) (all []Group) {
	for _, name := range groups {
		g := Group{Title: name}
		for _, o := range table {
			if has(o) && title(o) == name {
				g.Options = append(g.Options, o)
			}
		}
		if len(g.Options) > 0 {
			all = append(all, g)
		}
	}
	return all
}
