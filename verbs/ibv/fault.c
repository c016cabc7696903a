#define _GNU_SOURCE
#include "fault.h"

#ifdef __x86_64__

#include <dlfcn.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <ucontext.h>
#include <unistd.h>

static struct {
	uintptr_t low;
	size_t size, each;
} watched;

static const struct { int sig; const char *name; } fatal[] = {
	{SIGSEGV, "SIGSEGV"}, {SIGBUS, "SIGBUS"}, {SIGFPE, "SIGFPE"}, {SIGILL, "SIGILL"}, {SIGABRT, "SIGABRT"},
};
static struct sigaction go[NSIG]; /* the handlers of the Go runtime */

/*
 * report writes signal, address, and where in which library. What it calls is not safe
 * in every signal handler; here the process ends anyway.
 */
static void report(int sig, const siginfo_t *info, uintptr_t pc)
{
	char line[512], *end = line + sizeof line, *at = line;
	Dl_info in = {0};

	for (size_t i = 0; i < sizeof fatal / sizeof fatal[0]; i++)
		if (fatal[i].sig == sig)
			at += snprintf(at, end - at, "%s in C: PC %#lx", fatal[i].name, pc);
	if (dladdr((void *)pc, &in) && in.dli_fname && at < end) {
		at += snprintf(at, end - at, " (%s+%#lx", in.dli_fname, pc - (uintptr_t)in.dli_fbase);
		if (in.dli_sname && at < end)
			at += snprintf(at, end - at, ", %s+%#lx", in.dli_sname, pc - (uintptr_t)in.dli_saddr);
		if (at < end)
			at += snprintf(at, end - at, ")");
	}
	if (at < end && info->si_code > 0) /* the CPU sent the signal, not abort() */
		at += snprintf(at, end - at, ", address %p", info->si_addr);
	if (at < end)
		snprintf(at, end - at, "; for a core dump with the C frames run again with IBPERF_CGO=1 GOTRACEBACK=crash\n");
	if (write(STDERR_FILENO, line, strlen(line)) < 0)
		return;
}

/*
 * on_fault reports a crash on a watched stack, and hands it to the Go runtime as one at
 * the place in Go that called: the runtime can unwind only the goroutine's own stack. It
 * then ends the process with a traceback, see procPin in package ccall.
 */
static void on_fault(int sig, siginfo_t *info, void *context)
{
	greg_t *regs = ((ucontext_t *)context)->uc_mcontext.gregs;
	size_t at = (uintptr_t)regs[REG_RSP] - watched.low;
	int in_c = at < watched.size;

	if (in_c) {
		greg_t *top = (greg_t *)(watched.low + (at / watched.each + 1) * watched.each);
		greg_t *sp = (greg_t *)top[-1];

		report(sig, info, (uintptr_t)regs[REG_RIP]);
		regs[REG_RIP] = sp[0];
		regs[REG_RSP] = (greg_t)(sp + 1);
	}
	go[sig].sa_sigaction(sig, info, context);
	if (in_c && sig == SIGABRT)
		_exit(2); /* the program handles SIGABRT itself; it cannot continue after half a C function */
}

void fault_watch(void *stacks, size_t size, size_t each)
{
	struct sigaction action = {.sa_sigaction = on_fault, .sa_flags = SA_SIGINFO | SA_ONSTACK | SA_RESTART};

	watched.low = (uintptr_t)stacks;
	watched.size = size;
	watched.each = each;
	sigfillset(&action.sa_mask);
	for (size_t i = 0; i < sizeof fatal / sizeof fatal[0]; i++)
		if (!sigaction(fatal[i].sig, NULL, &go[fatal[i].sig]))
			sigaction(fatal[i].sig, &action, NULL);
}

#else

void fault_watch(void *stacks, size_t size, size_t each)
{
	(void)stacks, (void)size, (void)each;
}

#endif
