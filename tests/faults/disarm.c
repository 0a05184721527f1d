/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A system call put into the sandbox's init by ptrace (needs yama's ptrace_scope 0). */
#include "disarm.h"

#include <elf.h>
#include <errno.h>
#include <stddef.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/user.h>
#include <sys/wait.h>

#if defined(__x86_64__)

/* It sleeps in a system call: the instruction pointer is behind a `syscall`. */
static void put_call(struct user_regs_struct *regs)
{
	regs->rip -= 2;
	regs->orig_rax = (unsigned long long)-1; /* not to be restarted now */
	regs->rax = SYS_prctl;
	regs->rdi = PR_SET_PDEATHSIG;
	regs->rsi = 0;
}

static long result(const struct user_regs_struct *regs)
{
	return (long)regs->rax;
}
#define CAN_DISARM 1

#elif defined(__aarch64__)

static void put_call(struct user_regs_struct *regs)
{
	regs->pc -= 4;
	regs->regs[8] = SYS_prctl;
	regs->regs[0] = PR_SET_PDEATHSIG;
	regs->regs[1] = 0;
}

static long result(const struct user_regs_struct *regs)
{
	return (long)regs->regs[0];
}
#define CAN_DISARM 1

#else
#define CAN_DISARM 0
#endif

#if CAN_DISARM

static const char *inject(struct user_regs_struct *saved)
{
	struct user_regs_struct regs;
	struct iovec vector = { saved, sizeof(*saved) };
	int status;

	if (ptrace(PTRACE_GETREGSET, 1, (void *)NT_PRSTATUS, &vector) < 0)
		return "cannot read the registers of process 1";
	regs = *saved;
	put_call(&regs);
	vector.iov_base = &regs;
	if (ptrace(PTRACE_SETREGSET, 1, (void *)NT_PRSTATUS, &vector) < 0 ||
	    ptrace(PTRACE_SINGLESTEP, 1, NULL, NULL) < 0 ||
	    waitpid(1, &status, __WALL) < 0 || !WIFSTOPPED(status) ||
	    ptrace(PTRACE_GETREGSET, 1, (void *)NT_PRSTATUS, &vector) < 0)
		return "cannot make process 1 do a system call";
	return result(&regs) == 0 ? NULL : "process 1 could not disarm itself";
}

const char *disarm_init(void)
{
	struct user_regs_struct saved;
	struct iovec vector = { &saved, sizeof(saved) };
	const char *failed;
	int status;

	/* Whoever traces may be killed at any moment: then this is the end of process 1,
	 * too.  PTRACE_ATTACH would leave it stopped, and the run with its deadline. */
	if (ptrace(PTRACE_SEIZE, 1, NULL, (void *)PTRACE_O_EXITKILL) < 0)
		return "cannot trace process 1";
	if (ptrace(PTRACE_INTERRUPT, 1, NULL, NULL) < 0 ||
	    waitpid(1, &status, __WALL) < 0 || !WIFSTOPPED(status))
		return "process 1 does not stop";
	failed = inject(&saved);
	(void)ptrace(PTRACE_SETREGSET, 1, (void *)NT_PRSTATUS, &vector);
	(void)ptrace(PTRACE_DETACH, 1, NULL, NULL);
	return failed;
}

#else

const char *disarm_init(void)
{
	return "not known how on this machine";
}

#endif

const char *freeze_init(void)
{
	return ptrace(PTRACE_ATTACH, 1, NULL, NULL) < 0 ? "cannot trace process 1" : NULL;
}
