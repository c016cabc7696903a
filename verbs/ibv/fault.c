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
static struct sigaction go[NSIG]; /* the Go runtime's handlers */

/* tell writes what happened. It need not be safe in a handler: the process ends. */
static void tell(int sig, void *addr, uintptr_t pc)
{
	char line[512], *end = line + sizeof line, *at = line;
	Dl_info in = {0};

	for (size_t i = 0; i < sizeof fatal / sizeof fatal[0]; i++)
		if (fatal[i].sig == sig)
			at += snprintf(at, end - at, "%s in C: address %p, PC %#lx", fatal[i].name, addr, pc);
	if (dladdr((void *)pc, &in) && in.dli_fname && at < end) {
		at += snprintf(at, end - at, " (%s+%#lx", in.dli_fname, pc - (uintptr_t)in.dli_fbase);
		if (in.dli_sname && at < end)
			at += snprintf(at, end - at, ", %s+%#lx", in.dli_sname, pc - (uintptr_t)in.dli_saddr);
		if (at < end)
			at += snprintf(at, end - at, ")");
	}
	if (at < end)
		snprintf(at, end - at, "; its caller follows; a core with the frames of C: IBPERF_CGO=1 GOTRACEBACK=crash\n");
	if (write(STDERR_FILENO, line, strlen(line)) < 0)
		return;
}

/*
 * on_fault takes a thread that crashed on a watched stack back to the goroutine that
 * called, since the runtime cannot follow any other stack. It ends the process: a
 * goroutine that is bound to its processor does not panic.
 */
static void on_fault(int sig, siginfo_t *info, void *context)
{
	greg_t *regs = ((ucontext_t *)context)->uc_mcontext.gregs;
	size_t at = (uintptr_t)regs[REG_RSP] - watched.low;
	int in_c = at < watched.size;

	if (in_c) {
		greg_t *top = (greg_t *)(watched.low + (at / watched.each + 1) * watched.each);
		greg_t *sp = (greg_t *)top[-1];

		tell(sig, info->si_addr, (uintptr_t)regs[REG_RIP]);
		regs[REG_RIP] = sp[0];
		regs[REG_RSP] = (greg_t)(sp + 1);
	}
	go[sig].sa_sigaction(sig, info, context);
	if (in_c && sig == SIGABRT)
		_exit(2); /* the program asked for the signal, but C is not to be left halfway */
}

void fault_watch(void *stacks, size_t size, size_t each)
{
	struct sigaction action = {.sa_sigaction = on_fault, .sa_flags = SA_SIGINFO | SA_ONSTACK | SA_RESTART};

	watched.low = (uintptr_t)stacks;
	watched.size = size;
	watched.each = each;
	sigfillset(&action.sa_mask);
	for (size_t i = 0; i < sizeof fatal / sizeof fatal[0]; i++)
		sigaction(fatal[i].sig, &action, &go[fatal[i].sig]);
}

#else

void fault_watch(void *stacks, size_t size, size_t each)
{
	(void)stacks, (void)size, (void)each;
}

#endif
