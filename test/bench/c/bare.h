/* Functions that all bare programs share. */
#define _GNU_SOURCE
#include <gnu/libc-version.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

static inline double now(void) /* seconds */
{
	struct timespec t;
	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec + t.tv_nsec * 1e-9;
}

static inline void check(int ok, const char *what)
{
	if (!ok) {
		perror(what);
		exit(1);
	}
}

/* check_arguments exits unless there are want arguments. Without arguments it prints the versions of
 * compiler and C library. */
static inline void check_arguments(int argc, int want)
{
	if (argc == 1) {
		printf("gcc-%s,glibc-%s\n", __VERSION__, gnu_get_libc_version());
		exit(0);
	}
	if (argc != want + 1) {
		fprintf(stderr, "want %d arguments\n", want);
		exit(2);
	}
}
