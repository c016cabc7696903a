package verbs

// ParentDomainAllocator is a [Context] with thread domains and parent domains.
type ParentDomainAllocator interface {
	// AllocTD allocates a thread domain.
	//
	//	struct ibv_td *ibv_alloc_td(struct ibv_context *context, struct ibv_td_init_attr *init_attr)
	AllocTD() (TD, error)
	// AllocParentDomain allocates a parent domain, which can be used in place of pd. If td
	// is not nil, the objects of the parent domain take no locks: only one goroutine at a
	// time may use them. pd and td are closed after the parent domain.
	//
	//	struct ibv_pd *ibv_alloc_parent_domain(struct ibv_context *context, struct ibv_parent_domain_init_attr *attr)
	AllocParentDomain(pd PD, td TD) (PD, error)
}

// TD is a thread domain, struct ibv_td.
type TD interface {
	// Close frees the domain. Its parent domains are closed before.
	//
	//	int ibv_dealloc_td(struct ibv_td *td)
	Close() error
}
