/*
 * Holds the operations of a context in library.c to the inline functions of the installed
 * header: both are called for the same contexts, with and without the operations, and
 * must reach the same operation with the same arguments and return the same.
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include <infiniband/verbs.h>

#include "../library.h"

/* What was called last, with what. */
static struct call {
	const char *name;
	void *first;
	void *second;
} last;

static void *called(const char *name, void *first, void *second)
{
	last = (struct call){name, first, second};
	errno = EXDEV;
	return &last;
}

static struct ibv_xrcd *open_xrcd(struct ibv_context *c, struct ibv_xrcd_init_attr *a) { return called("open_xrcd", c, a); }
static int close_xrcd(struct ibv_xrcd *x) { return called("close_xrcd", x, NULL) ? EBUSY : 0; }
static struct ibv_srq *create_srq_ex(struct ibv_context *c, struct ibv_srq_init_attr_ex *a) { return called("create_srq_ex", c, a); }
static int get_srq_num(struct ibv_srq *s, uint32_t *num) { return called("get_srq_num", s, num) ? EBUSY : 0; }
static struct ibv_qp *create_qp_ex(struct ibv_context *c, struct ibv_qp_init_attr_ex *a) { return called("create_qp_ex", c, a); }
static struct ibv_qp *open_qp(struct ibv_context *c, struct ibv_qp_open_attr *a) { return called("open_qp", c, a); }

static struct ibv_cq_ex *create_cq_ex(struct ibv_context *c, struct ibv_cq_init_attr_ex *a) { return called("create_cq_ex", c, a); }
static int modify_cq(struct ibv_cq *q, struct ibv_modify_cq_attr *a) { return called("modify_cq", q, a) ? EBUSY : 0; }
static struct ibv_td *alloc_td(struct ibv_context *c, struct ibv_td_init_attr *a) { return called("alloc_td", c, a); }
static int dealloc_td(struct ibv_td *t) { return called("dealloc_td", t, NULL) ? EBUSY : 0; }
static struct ibv_pd *alloc_parent_domain(struct ibv_context *c, struct ibv_parent_domain_init_attr *a)
{
	return called("alloc_parent_domain", c, a);
}
static int advise_mr(struct ibv_pd *p, enum ibv_advise_mr_advice advice, uint32_t flags, struct ibv_sge *s, uint32_t n)
{
	return called("advise_mr", p, s) && advice == 1 && flags == 1 && n == 2 ? EBUSY : 0;
}
static struct ibv_mw *alloc_mw(struct ibv_pd *p, enum ibv_mw_type type) { return type == 1 ? called("alloc_mw", p, NULL) : NULL; }
static int bind_mw(struct ibv_qp *q, struct ibv_mw *w, struct ibv_mw_bind *b) { return called("bind_mw", w, b) && q ? EBUSY : 0; }
static int dealloc_mw(struct ibv_mw *w) { return called("dealloc_mw", w, NULL) ? EBUSY : 0; }

static int failures;

static void same(const char *what, struct call ours, struct call theirs, long our_result, long their_result)
{
	const char *our = ours.name ? ours.name : "nothing", *their = theirs.name ? theirs.name : "nothing";

	if (!strcmp(our, their) && ours.first == theirs.first && ours.second == theirs.second && our_result == their_result)
		return;
	printf("%s: calls %s and returns %ld; the header's calls %s and returns %ld\n", what, our, our_result, their, their_result);
	failures++;
}

/* The errno of a call that returned no object, else the object. */
static long outcome(void *object) { return object ? (long)object : errno; }

#define COMPARE(what, ours, theirs) \
	do { \
		struct call a, b; \
		long ra, rb; \
		last = (struct call){0}, errno = 0, ra = (ours), a = last; \
		last = (struct call){0}, errno = 0, rb = (theirs), b = last; \
		same(what, a, b, ra, rb); \
	} while (0)

static void compare_optional(struct ibv_context *c)
{
	struct abi_context *ours = (struct abi_context *)c;
	struct ibv_pd pd = {.context = c};
	struct ibv_cq cq = {.context = c};
	struct ibv_td td = {.context = c};
	struct ibv_mr mr = {.context = c, .pd = &pd};
	struct ibv_qp qp = {.context = c};
	struct ibv_mw windows[] = {{.context = c, .pd = &pd, .type = IBV_MW_TYPE_1}, {.context = c, .pd = &pd, .type = IBV_MW_TYPE_2}};
	struct abi_mw_bind bind = {.info.mr = (void *)&mr};
	struct abi_cq_init_attr_ex extended = {.cqe = 1};
	struct abi_modify_cq_attr modify = {.attr_mask = ABI_CQ_ATTR_MODERATE};
	struct abi_td_init_attr thread = {0};
	struct abi_parent_domain_init_attr parent = {0};
	struct abi_sge sges[2] = {{0}};

	COMPARE("create_cq_ex", outcome(ib_create_cq_ex(ours, &extended)), outcome(ibv_create_cq_ex(c, (void *)&extended)));
	COMPARE("modify_cq", ib_modify_cq((void *)&cq, &modify), ibv_modify_cq(&cq, (void *)&modify));
	COMPARE("alloc_td", outcome(ib_alloc_td(ours, &thread)), outcome(ibv_alloc_td(c, (void *)&thread)));
	COMPARE("dealloc_td", ib_dealloc_td((void *)&td), ibv_dealloc_td(&td));
	COMPARE("alloc_parent_domain", outcome(ib_alloc_parent_domain(ours, &parent)), outcome(ibv_alloc_parent_domain(c, (void *)&parent)));
	COMPARE("advise_mr", ib_advise_mr(ours, (void *)&pd, 1, 1, sges, 2), ibv_advise_mr(&pd, 1, 1, (void *)sges, 2));
	COMPARE("alloc_mw", outcome(ib_alloc_mw(ours, (void *)&pd, 1)), outcome(ibv_alloc_mw(&pd, 1)));
	if (!c->ops.alloc_mw)
		return; /* there is nothing to bind */
	for (int i = 0; i < 2; i++)
		COMPARE("bind_mw", ib_bind_mw((void *)&qp, (void *)&windows[i], &bind), ibv_bind_mw(&qp, &windows[i], (void *)&bind));
	COMPARE("dealloc_mw", ib_dealloc_mw((void *)&windows[0]), ibv_dealloc_mw(&windows[0]));
}

static void compare(struct verbs_context *v)
{
	struct ibv_context *c = &v->context;
	struct abi_context *ours = (struct abi_context *)c;
	struct ibv_xrcd xrcd = {.context = c};
	struct ibv_srq srq = {.context = c};
	struct abi_xrcd_init_attr open = {.fd = -1};
	struct abi_srq_init_attr_ex shared = {.comp_mask = ABI_SRQ_INIT_ATTR_TYPE | ABI_SRQ_INIT_ATTR_PD | ABI_SRQ_INIT_ATTR_XRCD};
	struct abi_qp_init_attr_ex create = {.comp_mask = ABI_QP_INIT_ATTR_XRCD};
	struct abi_qp_open_attr opened = {.qp_num = 1};
	uint32_t num = 0;

	COMPARE("open_xrcd", outcome(ib_open_xrcd(ours, &open)), outcome(ibv_open_xrcd(c, (void *)&open)));
	COMPARE("create_srq_ex", outcome(ib_create_srq_ex(ours, &shared)), outcome(ibv_create_srq_ex(c, (void *)&shared)));
	COMPARE("get_srq_num", ib_get_srq_num((void *)&srq, &num), ibv_get_srq_num(&srq, &num));
	COMPARE("create_qp_ex", outcome(ib_create_qp_ex(ours, &create)), outcome(ibv_create_qp_ex(c, (void *)&create)));
	COMPARE("open_qp", outcome(ib_open_qp(ours, &opened)), outcome(ibv_open_qp(c, (void *)&opened)));
	compare_optional(c);
	if (v->close_xrcd) /* the header's function does not look whether there is one */
		COMPARE("close_xrcd", ib_close_xrcd((void *)&xrcd), ibv_close_xrcd(&xrcd));
}

int main(void)
{
	struct verbs_context v = {
		.sz = sizeof v, .context.abi_compat = (void *)UINTPTR_MAX,
		.open_xrcd = open_xrcd, .close_xrcd = close_xrcd, .create_srq_ex = create_srq_ex,
		.get_srq_num = get_srq_num, .create_qp_ex = create_qp_ex, .open_qp = open_qp,
		.create_cq_ex = create_cq_ex, .modify_cq = modify_cq, .alloc_td = alloc_td, .dealloc_td = dealloc_td,
		.alloc_parent_domain = alloc_parent_domain, .advise_mr = advise_mr,
		.context.ops = {.alloc_mw = alloc_mw, .bind_mw = bind_mw, .dealloc_mw = dealloc_mw},
	};

	compare(&v);
	/* A library that grew only so far: each length leaves a further operation out. */
	for (v.sz = sizeof v; v.sz > sizeof v.context; v.sz -= sizeof(void *))
		if (v.sz >= sizeof v - offsetof(struct verbs_context, close_xrcd))
			compare(&v);
	v.sz = sizeof v;
	v.context.abi_compat = NULL; /* a library from before extensions */
	v.close_xrcd = NULL;
	compare(&v);
	v = (struct verbs_context){.sz = sizeof v, .context.abi_compat = (void *)UINTPTR_MAX}; /* a driver without XRC */
	compare(&v);
	return failures != 0;
}
