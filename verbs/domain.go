package verbs

// ParentDomainAllocator is a [Context] with thread domains and parent domains.
type ParentDomainAllocator interface {
	// AllocTD allocates a thread domain.
	//
	//	struct ibv_td *ibv_alloc_td(struct ibv_context *context, struct ibv_td_init_attr *init_attr)
	AllocTD() (TD, error)
	// AllocParentDomain allocates a domain that stands for pd wherever one is asked for.
	// What is made from it takes no locks against other threads if td is not nil: it is
	// used by one goroutine at a time. pd and td are closed after it.
	//
	//	struct ibv_pd *ibv_alloc_parent_domain(struct ibv_context *context, struct ibv_parent_domain_init_attr *attr)
	AllocParentDomain(pd PD, td TD) (PD, error)
}

// TD is a thread domain, struct ibv_td.
type TD interface {
	// Close frees the domain, after what was made with it.
	//
	//	int ibv_dealloc_td(struct ibv_td *td)
	Close() error
}
