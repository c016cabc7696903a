/* Two processes that answer each other. */
#include "bare.h"
#include <sched.h>
#include <signal.h>
#include <stdint.h>
#include <sys/prctl.h>
#include <unistd.h>

static int ascending(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;
	return (x > y) - (x < y);
}

/* take_turns starts a process on a CPU that answers each turn of this one, from 1, and prints the median of half
 * the time of a turn. */
static inline void take_turns(int cpu, long rounds, void (*ask)(uint64_t turn), void (*answer)(uint64_t turn))
{
	long warm = rounds / 10;
	double *samples = calloc(rounds + 1, sizeof *samples);
	check(samples != NULL && rounds > 0, "make room for the samples");
	pid_t other = fork();
	check(other >= 0, "fork");
	if (other == 0) {
		cpu_set_t set;
		CPU_ZERO(&set);
		CPU_SET(cpu, &set);
		check(sched_setaffinity(0, sizeof set, &set) == 0, "choose the CPU of the other process");
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		for (uint64_t turn = 1;; turn++)
			answer(turn);
	}

	double last = now();
	for (long i = -warm; i < rounds; i++) {
		ask(i + warm + 1);
		double t = now();
		if (i >= 0)
			samples[i] = t - last;
		last = t;
	}
	kill(other, SIGKILL);
	qsort(samples, rounds, sizeof *samples, ascending);
	printf("%.1f ns\n", samples[rounds / 2] * 1e9 / 2);
}
