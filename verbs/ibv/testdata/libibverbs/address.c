/* GIDs, address handles, the header of UD messages, and multicast groups. */
#include "stub.h"

int ports(void) { return number("STUB_PORTS", 1); }

union abi_gid gid_of(uint32_t port) { return (union abi_gid){.raw = {0xfe, 0x80, [15] = port}}; }

uint32_t port_of(const struct abi_ah_attr *a) { return a->is_global ? a->grh.dgid.raw[15] : a->dlid; }

static int is_port(uint32_t port) { return port >= 1 && port <= (uint32_t)ports(); }

int ethernet(void) { return !number("STUB_LINK", 0); }

int _ibv_query_gid_ex(struct abi_context *c, uint32_t port, uint32_t index, struct abi_gid_entry *e, uint32_t flags, size_t size)
{
	*e = (struct abi_gid_entry){.gid = gid_of(port), .gid_index = index, .port_num = port, .gid_type = ethernet() && !number("STUB_EFA", 0) ? 2 /* RoCE v2 */ : 0};
	if (!is_port(port) || index > 1)
		return EINVAL;
	return index ? ENODATA : result("query_gid_ex");
}

int ibv_query_gid(struct abi_context *c, uint8_t port, int index, union abi_gid *gid)
{
	struct abi_gid_entry e;
	int err = _ibv_query_gid_ex(c, port, index, &e, 0, sizeof e);

	*gid = err == ENODATA ? (union abi_gid){{0}} : e.gid; /* this call returns zeros for an empty entry */
	return err && err != ENODATA ? -1 : 0;
}

ssize_t _ibv_query_gid_table(struct abi_context *c, struct abi_gid_entry *e, size_t max, uint32_t flags, size_t size)
{
	int ret = 0;

	for (int port = 1; port <= ports(); port++) {
		ret = port <= (int)max ? _ibv_query_gid_ex(c, port, 0, &e[port - 1], flags, size) : -EINVAL;
		if (ret < 0)
			return ret;
	}
	return ports();
}

int ibv_query_pkey(struct abi_context *c, uint8_t port, int index, uint16_t *pkey)
{
	*pkey = 0xffff;
	if (!is_port(port) || index) {
		errno = EINVAL;
		return -1;
	}
	return result("query_pkey");
}

int ibv_get_pkey_index(struct abi_context *c, uint8_t port, uint16_t pkey)
{
	if (is_port(port) && pkey == 0xffff)
		return result("get_pkey_index");
	errno = ENOENT;
	return -1;
}

static int is_mapped(const union abi_gid *g)
{
	static const uint8_t prefix[12] = {[10] = 0xff, 0xff};

	return !memcmp(g->raw, prefix, sizeof prefix);
}

int is_group(const union abi_gid *g) { return g->raw[0] == 0xff || (is_mapped(g) && g->raw[12] >> 4 == 14); }

int check_path(const struct abi_ah_attr *a)
{
	if (!is_port(a->port_num) || (ethernet() && !a->is_global) || (a->is_global && a->grh.sgid_index > 1))
		return EINVAL;
	return a->is_global && a->grh.sgid_index ? ENODATA : 0;
}

struct abi_ah *ibv_create_ah(struct abi_pd *pd, struct abi_ah_attr *a)
{
	struct ah *h = object("create_ah", sizeof *h);
	union abi_gid to = gid_of(port_of(a));
	int err = check_path(a);

	if (!h)
		return NULL;
	if (!err && a->is_global && (!is_port(port_of(a)) || memcmp(&a->grh.dgid, &to, sizeof to)) && !is_group(&a->grh.dgid))
		err = EHOSTUNREACH;
	if (err) {
		free(h);
		errno = err;
		return NULL;
	}
	h->ah.context = pd->context;
	h->ah.pd = pd;
	h->attr = *a;
	h->domain = ((struct pd *)pd)->number;
	__atomic_add_fetch(&((struct pd *)pd)->refs, 1, __ATOMIC_SEQ_CST);
	return (struct abi_ah *)h;
}

int ibv_destroy_ah(struct abi_ah *ah)
{
	struct ah *h = (struct ah *)ah;
	int ret = result("destroy_ah");

	if (ret)
		return ret;
	__atomic_sub_fetch(&((struct pd *)h->ah.pd)->refs, 1, __ATOMIC_SEQ_CST);
	free(h);
	return 0;
}

int ibv_init_ah_from_wc(struct abi_context *c, uint8_t port, struct abi_wc *wc, struct abi_grh *grh, struct abi_ah_attr *a)
{
	const uint8_t *g = grh->bytes;
	union abi_gid from, to, mine = gid_of(port);

	*a = (struct abi_ah_attr){.dlid = wc->slid, .sl = wc->sl, .src_path_bits = wc->dlid_path_bits, .port_num = port};
	if (!(wc->wc_flags & 1))
		return result("init_ah_from_wc");
	if (g[0] >> 4 != 6)
		return EPROTONOSUPPORT;
	memcpy(&from, g + 8, sizeof from);
	memcpy(&to, g + 24, sizeof to);
	if (memcmp(&to, &mine, sizeof to))
		return is_group(&to) ? EINVAL : ENOENT;
	a->is_global = 1;
	a->grh.dgid = from;
	a->grh.hop_limit = g[7];
	a->grh.traffic_class = g[0] << 4 | g[1] >> 4;
	return result("init_ah_from_wc");
}

struct abi_ah *ibv_create_ah_from_wc(struct abi_pd *pd, struct abi_wc *wc, struct abi_grh *grh, uint8_t port)
{
	struct abi_ah_attr a;

	errno = ibv_init_ah_from_wc(pd->context, port, wc, grh, &a);
	return errno ? NULL : ibv_create_ah(pd, &a);
}

void write_grh(char *grh, const struct entry *e, const union abi_gid *to, size_t length)
{
	union abi_gid from = gid_of(e->port);

	memset(grh, 0, GRH);
	grh[0] = 6 << 4 | e->traffic_class >> 4;
	grh[1] = e->traffic_class << 4;
	grh[4] = length >> 8;
	grh[5] = length;
	grh[6] = 17; /* UDP */
	grh[7] = e->hop_limit ? e->hop_limit : 64;
	memcpy(grh + 8, &from, sizeof from);
	memcpy(grh + 24, to, sizeof *to);
}

static int group_of(struct qps *q, const union abi_gid *gid)
{
	for (int i = 0; i < q->joined; i++)
		if (!memcmp(&q->groups[i], gid, sizeof *gid))
			return i;
	return -1;
}

static int members(const union abi_gid *gid)
{
	int n = 0;

	for (EACH(qps, q, qp, 0))
		n += q->num && group_of(q, gid) >= 0;
	return n;
}

int ibv_attach_mcast(struct abi_qp *qp, const union abi_gid *gid, uint16_t lid)
{
	struct qps *q = ((struct qp *)qp)->s;
	int ret = result("attach_mcast");

	if (ret || q->type != UD || !is_group(gid))
		return ret ? ret : EINVAL;
	lock(&shared->lock);
	if (group_of(q, gid) < 0) {
		ret = q->joined == GROUPS || members(gid) == MEMBERS ? ENOMEM : 0;
		if (!ret)
			q->groups[q->joined++] = *gid;
	}
	unlock(&shared->lock);
	return ret;
}

int ibv_detach_mcast(struct abi_qp *qp, const union abi_gid *gid, uint16_t lid)
{
	struct qps *q = ((struct qp *)qp)->s;
	int at, ret = result("detach_mcast");

	if (ret)
		return ret;
	lock(&shared->lock);
	at = group_of(q, gid);
	if (at >= 0)
		q->groups[at] = q->groups[--q->joined];
	unlock(&shared->lock);
	return at < 0 ? EINVAL : 0;
}
