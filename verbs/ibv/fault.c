#define _GNU_SOURCE
#include "fault.h"

#if defined __x86_64__ || defined __aarch64__

#include <dlfcn.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <ucontext.h>
#include <unistd.h>

#ifdef __x86_64__
#define PC(context) (context)->uc_mcontext.gregs[REG_RIP]
#define SP(context) (context)->uc_mcontext.gregs[REG_RSP]
#else
#define PC(context) (context)->uc_mcontext.pc
#define SP(context) (context)->uc_mcontext.sp
#endif

static struct {
	uintptr_t low;
	size_t size, each;
} watched;

static const struct { int sig; const char *name; } fatal[] = {
	{SIGSEGV, "SIGSEGV"}, {SIGBUS, "SIGBUS"}, {SIGFPE, "SIGFPE"}, {SIGILL, "SIGILL"}, {SIGABRT, "SIGABRT"},
};
static struct sigaction go[NSIG]; /* the handlers of the Go runtime */

/*
 * report writes the signal, the address, the library and the offset. It calls functions that
 * are not async-signal-safe; the process ends anyway.
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
 * return_to_caller makes the registers those of the caller in Go, from what package ccall has
 * stored below top.
 */
static void return_to_caller(ucontext_t *context, const uintptr_t *top)
{
#ifdef __x86_64__
	const uintptr_t *sp = (const uintptr_t *)top[-1];

	PC(context) = sp[0];
	SP(context) = (uintptr_t)(sp + 1);
#else
	PC(context) = top[-2];
	SP(context) = top[-1];
#endif
}

/*
 * on_fault reports a crash on a watched stack, and passes the signal to the Go runtime with
 * the registers of the caller in Go: the runtime can unwind only the goroutine's own stack.
 * The runtime ends the process with a traceback, see procPin in package ccall.
 */
static void on_fault(int sig, siginfo_t *info, void *context)
{
	size_t at = (uintptr_t)SP((ucontext_t *)context) - watched.low;
	int in_c = at < watched.size;

	if (in_c) {
		report(sig, info, (uintptr_t)PC((ucontext_t *)context));
		return_to_caller(context, (uintptr_t *)(watched.low + (at / watched.each + 1) * watched.each));
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
