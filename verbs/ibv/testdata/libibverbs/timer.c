/* A thread that retries waiting requests, and cleans up after dead processes. */
#include "stub.h"

#include <signal.h>
#include <time.h>

/* bury frees the objects of dead processes. */
static void bury(void)
{
	int last = self;

	for (EACH(qps, q, qp, 0)) {
		int pid = q->home.pid;

		if (!q->num || q->num == RESERVED || pid == last || pid == self)
			continue;
		if (alive(pid))
			last = pid;
		else
			leave(q->home.serial);
	}
}

/* look executes what is due in this process, and reports whether requests still wait. */
static int look(void)
{
	int more = 0;

	for (EACH(qps, q, qp, 0))
		if (q->num && q->home.pid == self && (q->out != q->in || q->notify)) {
			proceed(q);
			more = 1;
		}
	for (EACH(cqs, c, cq, 1))
		if (c->num && c->delay && c->home.pid == self && c->channel.serial) {
			lock(&c->putting);
			tell_due(c);
			unlock(&c->putting);
			more = 1;
		}
	return more;
}

static void *run(void *none)
{
	static const struct timespec soon = {.tv_nsec = 1000000}, late = {.tv_nsec = 10000000};

	for (unsigned n = 0;; n++) {
		nanosleep(look() ? &soon : &late, NULL);
		if (n % 4 == 0)
			bury();
	}
	return none;
}

static void start(void)
{
	sigset_t all, old;
	pthread_t thread;

	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &old);
	if (!pthread_create(&thread, NULL, run, NULL))
		pthread_detach(thread);
	pthread_sigmask(SIG_SETMASK, &old, NULL);
}

void start_timer(void)
{
	static pthread_once_t once = PTHREAD_ONCE_INIT;

	pthread_once(&once, start);
}
