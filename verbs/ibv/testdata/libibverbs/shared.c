/* Shared by all processes: a file, locks, and slots of tables. */
#include "stub.h"

#include <fcntl.h>
#include <signal.h>
#include <sched.h>
#include <sys/mman.h>
#include <time.h>

struct shared *shared;
int self;

int share(void)
{
	static pthread_mutex_t once = PTHREAD_MUTEX_INITIALIZER;
	const char *file = getenv("STUB_SHARED");
	int fd, err = 0;

	pthread_mutex_lock(&once);
	if (!shared) {
		fd = file ? open(file, O_RDWR | O_CREAT | O_CLOEXEC, 0600) : memfd_create("stub", MFD_CLOEXEC);
		self = getpid();
		if (fd < 0 || ftruncate(fd, sizeof *shared))
			err = errno;
		else
			shared = mmap(NULL, sizeof *shared, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_NORESERVE, fd, 0);
		if (shared == MAP_FAILED) {
			err = errno;
			shared = NULL;
		}
		if (fd >= 0)
			close(fd);
	}
	pthread_mutex_unlock(&once);
	return err;
}

int alive(int pid) { return pid == self || !kill(pid, 0) || errno != ESRCH; }

void lock_slowly(uint32_t *l)
{
	for (unsigned tries = 1;; tries++) {
		uint32_t holder = __atomic_load_n(l, __ATOMIC_RELAXED);

		if ((!holder || (tries % 4096 == 0 && !alive(holder))) &&
		    __atomic_compare_exchange_n(l, &holder, self, 0, __ATOMIC_ACQUIRE, __ATOMIC_RELAXED))
			return;
		if (tries % 64 == 0)
			sched_yield();
#ifdef __x86_64__
		__builtin_ia32_pause();
#endif
	}
}

uint64_t now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec * 1000000000ull + t.tv_nsec;
}

uint32_t serial(void) { return __atomic_add_fetch(&shared->serial, 1, __ATOMIC_RELAXED); }

/* The tables of slots, each of which begins with number and uses. Slot 0 is unused. */
static const struct {
	size_t at, size;
	unsigned count;
} tables[] = {
	{offsetof(struct shared, qp), sizeof(struct qps), QPS},
	{offsetof(struct shared, cq), sizeof(struct cqs), CQS},
	{offsetof(struct shared, srq), sizeof(struct srqs), SRQS},
	{offsetof(struct shared, region), sizeof(struct region), REGIONS},
};

/* Numbers have 20 bits, those of regions 32: the slot in the low bits, a count above it. */
void *take(int table, uint32_t *num)
{
	unsigned count = tables[table].count, slot = 1;
	uint32_t *at = NULL, bits = table == 3 ? 32 : 20;

	lock(&shared->lock);
	for (; slot < count; slot++) {
		at = (uint32_t *)((char *)shared + tables[table].at + slot * tables[table].size);
		if (!at[0])
			break;
	}
	if (slot < count) {
		at[0] = RESERVED;
		*num = (slot + (uint64_t)count * at[1]++) & ((1ull << bits) - 1);
		if (shared->top[table] <= slot)
			shared->top[table] = slot + 1;
	}
	unlock(&shared->lock);
	if (slot < count)
		return at;
	errno = ENOMEM;
	return NULL;
}

struct qps *find_qp(uint32_t num)
{
	struct qps *q = SLOT(qp, QPS, num);

	return num && __atomic_load_n(&q->num, __ATOMIC_ACQUIRE) == num ? q : NULL;
}

struct srqs *find_srq(uint32_t num)
{
	struct srqs *s = SLOT(srq, SRQS, num);

	return num && __atomic_load_n(&s->num, __ATOMIC_ACQUIRE) == num ? s : NULL;
}

void exclude_requesters(void)
{
	for (EACH(qps, q, qp, 0))
		if (q->num) {
			lock(&q->sending);
			unlock(&q->sending);
		}
}

void leave(uint32_t serial)
{
	for (EACH(qps, q, qp, 0))
		if (q->num && q->home.serial == serial) {
			q->state = RESET;
			__atomic_store_n(&q->num, 0, __ATOMIC_RELEASE);
		}
	exclude_requesters();
	for (EACH(srqs, s, srq, 2))
		if (s->num && s->home.serial == serial)
			__atomic_store_n(&s->num, 0, __ATOMIC_RELEASE);
	for (EACH(cqs, c, cq, 1))
		if (c->num && c->home.serial == serial)
			__atomic_store_n(&c->num, 0, __ATOMIC_RELEASE);
}
