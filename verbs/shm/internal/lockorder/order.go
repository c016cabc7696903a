// Package lockorder has the order in which the embedded device acquires its locks: a thread that holds a lock waits only for
// locks further down the table. Builds with the tag lockorder check that, and panic where it does not hold. The lock of a ring
// of names is not in it: a thread that holds it waits for nothing.
package lockorder

// Order has the kinds of locks from the outermost to the innermost one.
var Order = []Kind{
	Modify{}, Requester{}, Multicast{}, Receives{}, Pool{}, Handles{}, Context{}, Channel{}, CQ{},
	Table{}, Users{}, Peer{}, Notifier{}, MappedRegions{}, List{}, Engine{}, DelayTimer{}, AsyncEvents{},
}

// Kind is the kind of a lock. The locks of a kind are those of different objects, of which a thread holds one.
type Kind interface{ kind() }

// The kinds, with what their locks guard.
type (
	Modify        struct{} // changes of a QP's state
	Requester     struct{} // the requester of a QP; its word is in the directory
	Multicast     struct{} // the contexts that multicast messages go to
	Receives      struct{} // posting receives
	Pool          struct{} // the SRQs that a QP's receives come from
	Handles       struct{} // the open handles of a QP
	Context       struct{} // the contexts of peers, and connections
	Channel       struct{} // reading tokens, and closing the pipe
	CQ            struct{} // the ring of a CQ, and what polls read
	Table         struct{} // inserting objects of a type
	Users         struct{} // the number of an object's users
	Peer          struct{} // what of a peer's memory is mapped
	Notifier      struct{} // the pipe of a CQ's channel, in this process
	MappedRegions struct{} // the counts of mapped memory
	List          struct{} // changes of a list that is copied on write
	Engine        struct{} // the QPs with pending requests
	DelayTimer    struct{} // the timer of delayed requests
	AsyncEvents   struct{} // the queue of asynchronous events
)

func (Modify) kind()        {}
func (Requester) kind()     {}
func (Multicast) kind()     {}
func (Receives) kind()      {}
func (Pool) kind()          {}
func (Handles) kind()       {}
func (Context) kind()       {}
func (Channel) kind()       {}
func (CQ) kind()            {}
func (Table) kind()         {}
func (Users) kind()         {}
func (Peer) kind()          {}
func (Notifier) kind()      {}
func (MappedRegions) kind() {}
func (List) kind()          {}
func (Engine) kind()        {}
func (DelayTimer) kind()    {}
func (AsyncEvents) kind()   {}
