/* PDs and memory regions. */
#include "stub.h"

#include <fcntl.h>
#include <sys/mman.h>

struct abi_pd *ibv_alloc_pd(struct abi_context *c)
{
	struct pd *p = object("alloc_pd", sizeof *p);

	if (!p)
		return NULL;
	p->pd.context = c;
	p->number = serial();
	return &p->pd;
}

int ibv_dealloc_pd(struct abi_pd *pd)
{
	int ret = result("dealloc_pd");

	if (ret)
		return ret;
	if (((struct pd *)pd)->refs)
		return EBUSY;
	if (((struct pd *)pd)->of)
		__atomic_sub_fetch(&((struct pd *)pd)->of->refs, 1, __ATOMIC_SEQ_CST);
	if (((struct pd *)pd)->td)
		__atomic_sub_fetch(&((struct pd *)pd)->td->refs, 1, __ATOMIC_SEQ_CST);
	free(pd);
	return 0;
}

/* Replaced pages of this process, while regions are on them. */
static struct pages {
	uintptr_t low, high;
	int fd, refs, own; /* own: unmapped with the last region */
	struct abi_context *context; /* of the first region */
	struct pages *next;
} *all_pages;
static pthread_mutex_t pages_lock = PTHREAD_MUTEX_INITIALIZER;

/* replace replaces pages by shared memory with the same contents. */
static int replace(struct pages *p)
{
	size_t size = p->high - p->low;

	p->fd = memfd_create("stub-memory", MFD_CLOEXEC);
	if (p->fd < 0)
		return errno;
	for (size_t done = 0; done < size;) {
		ssize_t n = pwrite(p->fd, (void *)(p->low + done), size - done, done);

		if (n <= 0)
			return n ? errno : EIO;
		done += n;
	}
	if (mmap((void *)p->low, size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED | MAP_POPULATE, p->fd, 0) == MAP_FAILED)
		return errno;
	return 0;
}

/* hold_pages returns the replaced pages of a region, or NULL with errno. */
static struct pages *hold_pages(struct abi_context *c, uintptr_t addr, size_t length)
{
	uintptr_t page = sysconf(_SC_PAGESIZE), low = addr & -page, high = (addr + length + page - 1) & -page;
	struct pages *p;

	for (p = all_pages; p; p = p->next) {
		if (p->low <= low && high <= p->high) {
			p->refs++;
			return p;
		}
		if (low < p->high && p->low < high) {
			errno = EINVAL;
			return NULL;
		}
	}
	p = malloc(sizeof *p);
	*p = (struct pages){low, high, -1, 1, 0, c, all_pages};
	errno = getenv("STUB_SHARED") ? replace(p) : msync((void *)low, high - low, MS_ASYNC) ? EFAULT : 0;
	if (errno) {
		close(p->fd);
		free(p);
		return NULL;
	}
	return all_pages = p;
}

static void drop_pages(int fd, uintptr_t addr)
{
	for (struct pages **at = &all_pages; *at; at = &(*at)->next) {
		struct pages *p = *at;

		if (p->fd != fd || addr < p->low || addr >= p->high)
			continue;
		if (!--p->refs) {
			*at = p->next;
			close(fd);
			if (p->own)
				munmap((void *)p->low, p->high - p->low);
			free(p);
		}
		return;
	}
}

/* forget_pages forgets the pages of a context that is closed with regions open. Their files stay open. */
void forget_pages(struct abi_context *c)
{
	pthread_mutex_lock(&pages_lock);
	for (struct pages **at = &all_pages; *at;) {
		struct pages *p = *at;

		if (p->context != c) {
			at = &p->next;
			continue;
		}
		*at = p->next;
		free(p);
	}
	pthread_mutex_unlock(&pages_lock);
}

struct abi_mr *ibv_reg_mr_iova2(struct abi_pd *pd, void *addr, size_t length, uint64_t iova, unsigned int access)
{
	struct mr *m = object("reg_mr", sizeof *m);
	uint64_t page = sysconf(_SC_PAGESIZE);
	struct pages *p;
	uint32_t key;

	if (!m)
		return NULL;
	if (access & ZERO_BASED)
		iova = 0;
	if (!length || (access & (REMOTE_WRITE | REMOTE_ATOMIC) && !(access & LOCAL_WRITE)) || access & ON_DEMAND ||
	    access & ~0x3ff001ffu || (!(access & ZERO_BASED) && (iova ^ (uintptr_t)addr) % page)) {
		errno = EINVAL;
		return NULL;
	}
	if (number("STUB_EFA", 0) && access & ~efa_rights()) {
		errno = EOPNOTSUPP;
		return NULL;
	}
	pthread_mutex_lock(&pages_lock);
	p = hold_pages(pd->context, (uintptr_t)addr, length);
	pthread_mutex_unlock(&pages_lock);
	if (!p || !(m->s = take(3, &key)))
		return NULL;
	account_mr((uintptr_t)addr, length);
	key = key << 16 | key >> 16; /* the slot above: changes of the lower half never name another region */
	m->mr = (struct abi_mr){.context = pd->context, .pd = pd, .addr = addr, .length = length, .lkey = key, .rkey = key};
	*m->s = (struct region){
		.key = RESERVED, .uses = m->s->uses, .pd = ((struct pd *)pd)->number, .access = access, .pid = self, .fd = p->fd, .iova = iova, .length = length,
		.addr = (uintptr_t)addr, .offset = (uintptr_t)addr - p->low, .size = p->high - p->low,
	};
	__atomic_store_n(&m->s->key, key, __ATOMIC_RELEASE);
	__atomic_add_fetch(&((struct pd *)pd)->refs, 1, __ATOMIC_SEQ_CST);
	return &m->mr;
}

struct abi_mr *ibv_reg_mr_iova(struct abi_pd *pd, void *addr, size_t length, uint64_t iova, int access)
{
	return ibv_reg_mr_iova2(pd, addr, length, iova, access);
}

struct abi_mr *ibv_reg_mr(struct abi_pd *pd, void *addr, size_t length, int access)
{
	return ibv_reg_mr_iova2(pd, addr, length, (uintptr_t)addr, access);
}

int ibv_dereg_mr(struct abi_mr *mr)
{
	struct region *s = ((struct mr *)mr)->s, old = *s;
	int ret = result("dereg_mr");

	if (ret || s->windows)
		return ret ? ret : EBUSY;
	__atomic_store_n(&s->pd, 0, __ATOMIC_SEQ_CST); /* matches no key while the slot is not free */
	exclude_requesters();
	__atomic_store_n(&s->key, 0, __ATOMIC_RELEASE);
	pthread_mutex_lock(&pages_lock);
	drop_pages(old.fd, old.addr);
	pthread_mutex_unlock(&pages_lock);
	__atomic_sub_fetch(&((struct pd *)mr->pd)->refs, 1, __ATOMIC_SEQ_CST);
	if (((struct mr *)mr)->hints)
		__atomic_sub_fetch(&((struct mr *)mr)->hints->refs, 1, __ATOMIC_SEQ_CST);
	free(mr);
	return 0;
}

/* Changes a region while no request is executing. With other memory it has another key. */
int ibv_rereg_mr(struct abi_mr *mr, int flags, struct abi_pd *pd, void *addr, size_t length, int access)
{
	struct region *s = ((struct mr *)mr)->s, old = *s;
	struct pages *p = NULL;

	errno = EINVAL;
	if (flags & ~7 || (flags & 1 && (!addr || !length)) || (access && !(flags & 4)))
		return -1;
	if (result("rereg_mr"))
		return -4;
	if (flags & 1) {
		pthread_mutex_lock(&pages_lock);
		p = hold_pages(mr->context, (uintptr_t)addr, length);
		pthread_mutex_unlock(&pages_lock);
		if (!p)
			return -4;
	}
	__atomic_store_n(&s->pd, 0, __ATOMIC_SEQ_CST);
	exclude_requesters();
	if (p) {
		mr->lkey = mr->rkey = (old.key & 0xffff0000) | ((old.key + 1) & 0xffff);
		__atomic_store_n(&s->key, mr->rkey, __ATOMIC_RELEASE);
		s->fd = p->fd;
		s->addr = s->iova = (uintptr_t)(mr->addr = addr);
		s->length = mr->length = length;
		s->offset = (uintptr_t)addr - p->low;
		s->size = p->high - p->low;
		pthread_mutex_lock(&pages_lock);
		drop_pages(old.fd, old.addr);
		pthread_mutex_unlock(&pages_lock);
	}
	if (flags & 2) {
		__atomic_sub_fetch(&((struct pd *)mr->pd)->refs, 1, __ATOMIC_SEQ_CST);
		__atomic_add_fetch(&((struct pd *)pd)->refs, 1, __ATOMIC_SEQ_CST);
		mr->pd = pd;
	}
	if (flags & 4)
		s->access = access;
	__atomic_store_n(&s->pd, ((struct pd *)mr->pd)->number, __ATOMIC_SEQ_CST);
	return 0;
}

/* Any file that can be mapped serves as a dma-buf. */
struct abi_mr *ibv_reg_dmabuf_mr(struct abi_pd *pd, uint64_t offset, size_t length, uint64_t iova, int fd, int access)
{
	uint64_t page = sysconf(_SC_PAGESIZE), size = (offset + length + page - 1) & -page;
	void *base = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	struct pages *p;

	if (base == MAP_FAILED)
		return NULL;
	p = malloc(sizeof *p);
	pthread_mutex_lock(&pages_lock);
	*p = (struct pages){(uintptr_t)base, (uintptr_t)base + size, dup(fd), 0, 1, pd->context, all_pages}; /* which other processes map */
	all_pages = p;
	pthread_mutex_unlock(&pages_lock);
	return ibv_reg_mr_iova2(pd, (char *)base + offset, length, iova, access);
}

int advise_mr(struct abi_pd *pd, uint32_t advice, uint32_t flags, struct abi_sge *list, uint32_t n)
{
	int ret = result("advise_mr");

	if (ret || advice > 2 || flags & ~ABI_ADVISE_MR_FLAG_FLUSH)
		return ret ? ret : EINVAL;
	for (; n; n--, list++)
		if (!reach(((struct pd *)pd)->number, list->lkey, list->addr, list->length, advice == 1 ? LOCAL_WRITE : 0))
			return ENOENT;
	return 0;
}

/* Memory of other processes, mapped on the first access. */
static struct mapped {
	uint32_t key;
	char *base;
	size_t size;
} mapped[REGIONS];

static char *map(struct mapped *to, struct region *m)
{
	static pthread_mutex_t one = PTHREAD_MUTEX_INITIALIZER;
	char name[64];
	int fd;

	pthread_mutex_lock(&one);
	if (to->key != m->key) {
		__atomic_store_n(&to->key, 0, __ATOMIC_RELEASE);
		if (to->base)
			munmap(to->base, to->size);
		snprintf(name, sizeof name, "/proc/%d/fd/%d", m->pid, m->fd);
		fd = open(name, O_RDWR | O_CLOEXEC);
		to->size = m->size;
		to->base = mmap(NULL, m->size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_POPULATE, fd, 0);
		close(fd);
		if (to->base == MAP_FAILED)
			to->base = NULL;
		else
			__atomic_store_n(&to->key, m->key, __ATOMIC_RELEASE);
	}
	pthread_mutex_unlock(&one);
	return to->base;
}

uint64_t owners_address(uint32_t key, uint64_t addr)
{
	struct region *m = &shared->region[key >> 16];

	return m->addr + (addr - m->iova);
}

void *reach(uint32_t pd, uint32_t key, uint64_t addr, size_t length, unsigned int access)
{
	uint32_t slot = key >> 16;
	struct region *m = &shared->region[slot];
	uint64_t offset = addr - m->iova;
	char *base;

	if (!key || __atomic_load_n(&m->key, __ATOMIC_ACQUIRE) != key || m->pd != pd || (m->access & access) != access ||
	    offset > m->length || length > m->length - offset || (m->type && !access))
		return NULL;
	if (m->pid == self)
		return (char *)(uintptr_t)m->addr + offset;
	base = __atomic_load_n(&mapped[slot].key, __ATOMIC_ACQUIRE) == key ? mapped[slot].base : map(&mapped[slot], m);
	return base ? base + m->offset + offset : NULL;
}
