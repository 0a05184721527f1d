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
#include <unistd.h>

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

/* The kernel's own: a system call that was interrupted and is to be begun again. */
#define ERESTARTSYS 512
#define MAX_TRIES 10000 /* of a millisecond */

/* Stop it where it sleeps in a system call; the command may have been faster than it. */
static const char *stop_in_call(struct user_regs_struct *regs)
{
	struct iovec vector = { regs, sizeof(*regs) };
	int status;

	for (int i = 0; i < MAX_TRIES; i++) {
		if (ptrace(PTRACE_INTERRUPT, 1, NULL, NULL) < 0 ||
		    waitpid(1, &status, __WALL) < 0 || !WIFSTOPPED(status))
			return "process 1 does not stop";
		if (ptrace(PTRACE_GETREGSET, 1, (void *)NT_PRSTATUS, &vector) < 0)
			return "cannot read the registers of process 1";
		if (result(regs) == -ERESTARTSYS)
			return NULL;
		if (ptrace(PTRACE_CONT, 1, NULL, NULL) < 0)
			return "process 1 cannot go on";
		usleep(1000);
	}
	return "process 1 does not sleep";
}

static const char *inject(const struct user_regs_struct *saved)
{
	struct user_regs_struct regs = *saved;
	struct iovec vector = { &regs, sizeof(regs) };
	int status;

	put_call(&regs);
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

	/* Whoever traces may be killed at any moment: then this is the end of process 1,
	 * too.  PTRACE_ATTACH would leave it stopped, and the run with its deadline. */
	if (ptrace(PTRACE_SEIZE, 1, NULL, (void *)PTRACE_O_EXITKILL) < 0)
		return "cannot trace process 1";
	failed = stop_in_call(&saved);
	if (failed)
		return failed;
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
