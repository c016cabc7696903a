/* Completion channels, and events of both kinds: notes in pipes. */
#include "stub.h"

#include <fcntl.h>
#include <sys/stat.h>

/* Pipes of other processes that were opened. */
static struct {
	uint32_t serial;
	int fd;
} opened[64];
static unsigned next_opened;
static pthread_mutex_t opening = PTHREAD_MUTEX_INITIALIZER;
static pthread_mutex_t acking = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t acked = PTHREAD_COND_INITIALIZER;

static int descriptor(const struct pipe *to)
{
	char name[64];

	for (unsigned i = 0; i < 64; i++)
		if (opened[i].serial == to->serial)
			return opened[i].fd;
	snprintf(name, sizeof name, "/proc/%d/fd/%d", to->pid, to->fd);
	if (opened[next_opened % 64].serial)
		close(opened[next_opened % 64].fd);
	opened[next_opened % 64].serial = to->serial;
	return opened[next_opened++ % 64].fd = open(name, O_WRONLY | O_NONBLOCK | O_CLOEXEC);
}

void notify(const struct pipe *to, const void *note, size_t size)
{
	ssize_t n;

	if (to->pid == self) {
		n = write(to->fd, note, size);
	} else {
		pthread_mutex_lock(&opening);
		n = write(descriptor(to), note, size);
		pthread_mutex_unlock(&opening);
	}
	(void)n; /* the reader may have ended */
}

struct abi_comp_channel *ibv_create_comp_channel(struct abi_context *c)
{
	struct channel *ch = object("create_comp_channel", sizeof *ch);
	int fds[2], both;
	char name[64];

	if (!ch || pipe2(fds, O_CLOEXEC))
		return NULL;
	snprintf(name, sizeof name, "/proc/self/fd/%d", fds[0]);
	both = open(name, O_RDWR | O_CLOEXEC); /* a channel has one descriptor */
	close(fds[0]);
	close(fds[1]);
	if (both < 0)
		return NULL;
	*ch = (struct channel){{.context = c, .fd = both}, serial()};
	return &ch->channel;
}

int ibv_destroy_comp_channel(struct abi_comp_channel *channel)
{
	int ret = result("destroy_comp_channel");

	if (ret)
		return ret;
	if (channel->refcnt)
		return EBUSY;
	close(channel->fd);
	free(channel);
	return 0;
}

void fetched(struct acks *a)
{
	pthread_mutex_lock(&acking);
	a->got++;
	pthread_mutex_unlock(&acking);
}

void acknowledge(struct acks *a, unsigned n)
{
	pthread_mutex_lock(&acking);
	a->acked += n;
	pthread_cond_broadcast(&acked);
	pthread_mutex_unlock(&acking);
}

void await_acks(struct acks *a)
{
	pthread_mutex_lock(&acking);
	while (a->got != a->acked)
		pthread_cond_wait(&acked, &acking);
	pthread_mutex_unlock(&acking);
}

/* current reports whether the object that a note names still exists. */
static int current(const struct note *n)
{
	switch (n->table) {
	case 0: return find_qp(n->num) != NULL;
	case 1: return SLOT(cq, CQS, n->num)->num == n->num;
	case 2: return find_srq(n->num) != NULL;
	}
	return 1;
}

int ibv_get_cq_event(struct abi_comp_channel *channel, struct abi_cq **cq, void **cq_context)
{
	struct note n;

	do
		if (read(channel->fd, &n, sizeof n) != sizeof n)
			return -1;
	while (!current(&n));
	*cq = n.element;
	*cq_context = (*cq)->cq_context;
	fetched(&((struct cq *)*cq)->events);
	return 0;
}

void ibv_ack_cq_events(struct abi_cq *cq, unsigned int n) { acknowledge(&((struct cq *)cq)->events, n); }

void raise_note(const struct pipe *home, struct note note) { notify(home, &note, sizeof note); }

void raise_event(struct qps *q, uint32_t type)
{
	for (int i = 0; i < HANDLES; i++)
		if (q->handles[i])
			raise_note(&q->home, (struct note){q->handles[i], type, 0, q->num});
}

static struct acks *acks_of(void *element, uint32_t type)
{
	switch (type) {
	case CQ_ERR: return &((struct cq *)element)->async;
	case SRQ_LIMIT_REACHED: return &((struct srq *)element)->async;
	case QP_FATAL: case QP_REQ_ERR: case QP_ACCESS_ERR: case COMM_EST: case SQ_DRAINED: case QP_LAST_WQE_REACHED:
		return &((struct qp *)element)->async;
	}
	return NULL;
}

int ibv_get_async_event(struct abi_context *c, struct abi_async_event *event)
{
	struct note n;
	struct acks *a;
	int ret = result("get_async_event");

	if (ret)
		return ret;
	do
		if (read(c->async_fd, &n, sizeof n) != sizeof n)
			return -1;
	while (!current(&n));
	*event = (struct abi_async_event){.element = n.element, .event_type = n.type};
	a = acks_of(n.element, n.type);
	if (a)
		fetched(a);
	return 0;
}

void ibv_ack_async_event(struct abi_async_event *event)
{
	struct acks *a = acks_of(event->element, event->event_type);

	if (a)
		acknowledge(a, 1);
}
