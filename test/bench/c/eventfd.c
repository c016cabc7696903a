/* eventfd CPU ROUNDS: two processes wake each other by eventfds, one on the CPU where it was
 * started, the other on CPU. It prints the median of half the round trip in ns. */
#include "bare.h"
#include <sched.h>
#include <signal.h>
#include <stdint.h>
#include <sys/eventfd.h>
#include <sys/prctl.h>
#include <unistd.h>

static int ping, pong;

static void wake(int fd)
{
	uint64_t one = 1;
	check(write(fd, &one, sizeof one) == sizeof one, "write an eventfd");
}

static void await(int fd)
{
	uint64_t n;
	check(read(fd, &n, sizeof n) == sizeof n, "read an eventfd");
}

static void answer(int cpu)
{
	cpu_set_t set;
	CPU_ZERO(&set);
	CPU_SET(cpu, &set);
	check(sched_setaffinity(0, sizeof set, &set) == 0, "choose the CPU of the other process");
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	for (;;) {
		await(ping);
		wake(pong);
	}
}

static int ascending(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;
	return (x > y) - (x < y);
}

int main(int argc, char **argv)
{
	check_arguments(argc, 2);
	long rounds = atol(argv[2]), warm = rounds / 10;
	double *samples = calloc(rounds + 1, sizeof *samples);
	check(samples != NULL && rounds > 0, "make room for the samples");
	check((ping = eventfd(0, 0)) >= 0 && (pong = eventfd(0, 0)) >= 0, "make an eventfd");
	pid_t other = fork();
	check(other >= 0, "fork");
	if (other == 0)
		answer(atoi(argv[1]));

	double last = now();
	for (long i = -warm; i < rounds; i++) {
		wake(ping);
		await(pong);
		double t = now();
		if (i >= 0)
			samples[i] = t - last;
		last = t;
	}
	kill(other, SIGKILL);
	qsort(samples, rounds, sizeof *samples, ascending);
	printf("%.1f ns\n", samples[rounds / 2] * 1e9 / 2);
}
