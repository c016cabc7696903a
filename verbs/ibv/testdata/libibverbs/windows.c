/*
 * Memory windows. One stands among the regions, and is looked up as they are: bound, it is
 * the part of a region that it was bound to, with rights and a key of its own.
 */
#include "stub.h"

struct window {
	struct abi_mw mw;
	struct region *s;
};

struct abi_mw *alloc_mw(struct abi_pd *pd, uint32_t type)
{
	struct window *w = object("alloc_mw", sizeof *w);
	uint32_t key;

	if (!w || !(w->s = take(3, &key)))
		return NULL;
	key = key << 16 | key >> 16;
	w->mw = (struct abi_mw){.context = pd->context, .pd = pd, .rkey = key, .type = type};
	*w->s = (struct region){.key = RESERVED, .uses = w->s->uses, .pd = ((struct pd *)pd)->number, .pid = self, .type = type};
	__atomic_store_n(&w->s->key, key, __ATOMIC_RELEASE);
	__atomic_add_fetch(&((struct pd *)pd)->refs, 1, __ATOMIC_SEQ_CST);
	return &w->mw;
}

static struct region *region_of(uint32_t key) { return &shared->region[key >> 16]; }

/* unbind ends the access through a window. */
static void unbind(struct region *w)
{
	struct region *m = region_of(w->of);

	if (w->of && m->key == w->of)
		__atomic_sub_fetch(&m->windows, 1, __ATOMIC_SEQ_CST);
	w->of = w->access = w->length = 0;
}

int dealloc_mw(struct abi_mw *mw)
{
	struct region *w = ((struct window *)mw)->s;
	int ret = result("dealloc_mw");

	if (ret)
		return ret;
	unbind(w);
	__atomic_store_n(&w->key, 0, __ATOMIC_SEQ_CST);
	__atomic_sub_fetch(&((struct pd *)mw->pd)->refs, 1, __ATOMIC_SEQ_CST);
	free(mw);
	return 0;
}

/* may_bind reports whether region, range and access flags allow a bind. */
static int may_bind(const struct region *m, const struct abi_mr *mr, const struct region *w, const struct abi_mw_bind_info *i)
{
	uint64_t offset = i->addr - m->iova;

	return m->key == mr->rkey && m->pd == w->pd && m->access & MW_BIND && !(i->access & ~(REMOTE_WRITE | REMOTE_READ | REMOTE_ATOMIC)) &&
	       (!(i->access & (REMOTE_WRITE | REMOTE_ATOMIC)) || m->access & LOCAL_WRITE) &&
	       offset <= m->length && i->length <= m->length - offset;
}

static int bind(struct qps *q, struct region *w, uint32_t key, const struct abi_mw_bind_info *i)
{
	struct region *m = ((struct mr *)i->mr)->s;

	if (w->pd != q->pd || (w->type == 2 && (w->of || !i->length)) || (i->length && !may_bind(m, i->mr, w, i)))
		return MW_BIND_ERR;
	__atomic_store_n(&w->key, RESERVED, __ATOMIC_SEQ_CST);
	unbind(w);
	if (i->length) {
		w->of = m->key;
		w->qp = w->type == 2 ? q->num : 0;
		w->access = i->access;
		w->iova = i->addr;
		w->length = i->length;
		w->addr = m->addr + (i->addr - m->iova);
		w->fd = m->fd;
		w->offset = m->offset + (i->addr - m->iova);
		w->size = m->size;
		__atomic_add_fetch(&m->windows, 1, __ATOMIC_SEQ_CST);
	}
	__atomic_store_n(&w->key, key, __ATOMIC_RELEASE);
	return 0;
}

int bind_mw(struct abi_qp *qp, struct abi_mw *mw, struct abi_mw_bind *b)
{
	struct abi_send_wr *bad, wr = {.wr_id = b->wr_id, .opcode = BIND_MW, .send_flags = b->send_flags};
	uint32_t key = (mw->rkey & ~0xff) | ((mw->rkey + 1) & 0xff);
	int ret = result("bind_mw");

	wr.ext[0] = (uintptr_t)mw;
	wr.ext[1] = key;
	memcpy(&wr.ext[2], &b->info, sizeof b->info);
	if (!ret)
		ret = post_send(qp, &wr, &bad);
	if (!ret)
		mw->rkey = key;
	return ret;
}

int invalidate(uint32_t pd, uint32_t key)
{
	struct region *w = region_of(key);

	if (__atomic_load_n(&w->key, __ATOMIC_ACQUIRE) != key || w->pd != pd || w->type != 2 || !w->of)
		return 0;
	unbind(w);
	return 1;
}

int of_another(uint32_t key, const struct qps *q)
{
	struct region *w = region_of(key);

	return w->type == 2 && w->qp != q->num;
}

int operate_window(struct qps *q, struct abi_send_wr *wr)
{
	if (wr->opcode == LOCAL_INV)
		return invalidate(q->pd, wr->imm_data) ? 0 : LOC_QP_OP_ERR;
	return bind(q, ((struct window *)(uintptr_t)wr->ext[0])->s, wr->ext[1], (struct abi_mw_bind_info *)&wr->ext[2]);
}
