/* Thread domains and parent domains. */
#include "stub.h"

struct abi_td *alloc_td(struct abi_context *c, struct abi_td_init_attr *init)
{
	struct td *t = object("alloc_td", sizeof *t);

	if (!t)
		return NULL;
	t->td.context = c;
	return &t->td;
}

int dealloc_td(struct abi_td *td)
{
	int ret = result("dealloc_td");

	if (ret || ((struct td *)td)->refs)
		return ret ? ret : EBUSY;
	free(td);
	return 0;
}

struct abi_pd *alloc_parent_domain(struct abi_context *c, struct abi_parent_domain_init_attr *init)
{
	struct pd *p;

	if (!init->pd || init->comp_mask) {
		errno = EINVAL;
		return NULL;
	}
	p = object("alloc_parent_domain", sizeof *p);
	if (!p)
		return NULL;
	p->pd.context = c;
	p->of = (struct pd *)init->pd;
	p->td = (struct td *)init->td;
	p->number = p->of->number;
	__atomic_add_fetch(&p->of->refs, 1, __ATOMIC_SEQ_CST);
	if (p->td)
		__atomic_add_fetch(&p->td->refs, 1, __ATOMIC_SEQ_CST);
	return &p->pd;
}
