/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * drupe serve: the requests of one client, served concurrently.
 *
 *   serve.c    the loop: descriptors, signals, tasks that have ended, the end
 *   task.c     a request that takes time: its thread, and the output of its command
 *   session.c  session.open, run, cancel, close
 *   params.c   params, checked against tables
 *   methods.c  the methods of drupe-serve(7)
 *   mcp.c      the methods of the Model Context Protocol
 *
 * Everything but a task's `work` happens in the main thread.
 */
#ifndef DRUPE_SERVE_H
#define DRUPE_SERVE_H

#include <poll.h>
#include <pthread.h>
#include <sys/resource.h>

#include "lib/private.h"
#include "serve/rpc.h"

#define SERVE_KNOWN_RUNS 1024 /* ids of its runs kept per session */

/* The command line of `drupe serve`. */
struct serve_options {
	const char *policy;	       /* as -p */
	const struct request *request; /* what sessions begin with */
	const struct paths *paths;
	bool mcp; /* the Model Context Protocol, not drupe's own */
};

/* Serve one client on stdin and stdout, up to the end of input or a signal.  Returns the
 * exit status, or -errno with ERR if nothing was served. */
int serve(const struct serve_options *options, struct error *err);

struct server;
struct task;

/* A session that the client has open. */
struct served {
	struct served *next;
	char id[24];
	drupe_session *session;
	unsigned tasks;			 /* tasks that use it */
	struct task *closer;		 /* waits for them to end */
	json_t *known[SERVE_KNOWN_RUNS]; /* ids of its last runs */
	unsigned long n_known;
};

struct answer {
	enum rpc_code code; /* 0: a result */
	json_t *json;	    /* the result, or the error's data */
	char text[1280];    /* the error's message */
};

/* A stream of a run that is reported while it runs. */
struct flow {
	int read;     /* -1: closed, or not reported */
	size_t place; /* its index among the polled descriptors; 0: not polled */
	char rest[4]; /* the start of a character that the last chunk cut */
	size_t n_rest;
};

struct task {
	struct task *next;
	struct server *server;
	struct rpc_call call;
	const struct method *method;
	struct served *served; /* NULL: none */
	struct flow flows[2];
	int write[2]; /* the other ends of the flows; -1: not reported */
	int cancel;   /* an eventfd; -1: cannot be cancelled */
	pthread_t thread;
	bool ended;		/* the thread */
	bool silent;		/* the client no longer wants an answer */
	const struct task *run; /* session.cancel: it waits for this run's end */
	/* In the thread, until it has ended: */
	void (*work)(struct task *task);
	drupe_session *opened; /* by session.open */
	bool cancelled;	       /* what the run's result says */
	struct answer answer;
};

/* A method of either protocol. */
struct method {
	const char *name;
	const struct param *params; /* ends with a NULL name; NULL: anything goes */
	/* Answer at once, or start the task (task_start), or keep it for later. */
	void (*begin)(struct server *server, struct task *task);
	/* Called in the main thread after the task's thread has ended; may be NULL. */
	void (*end)(struct server *server, struct task *task);
	bool notification; /* may come without an id */
};

struct server {
	const struct serve_options *options;
	const struct method *methods;
	drupe_policy *policy;
	struct rpc rpc;
	struct task *tasks;
	struct served *sessions;
	unsigned long n_opened;
	int done; /* a pipe to which tasks write their address when they end */
	int done_write;
	struct rlimit nofile; /* the limit of the commands; ours is raised */
	bool closing;	      /* no more requests are taken */
	struct mcp *mcp;      /* NULL: drupe's own protocol */
};

extern const struct method serve_methods[];
extern const struct method mcp_methods[];

/* params.c */

enum param_type {
	PARAM_TEXT,
	PARAM_WORDS,   /* an array of strings */
	PARAM_COMMAND, /* the same, but not empty */
	PARAM_BOOL,
	PARAM_DURATION, /* as in a policy */
	PARAM_DATA,	/* a string, or {"base64": …} */
	PARAM_ID,	/* of a request */
	PARAM_ANY,
};

struct param {
	const char *name;
	enum param_type type;
	bool needed;
};

/* Check PARAMS against the table.  False: *ret_answer is the error. */
bool params_check(const struct param *table, const json_t *params,
		  struct answer *ret_answer);
/* A duration, after params_check; 0: absent. */
uint64_t params_duration(const json_t *params, const char *name);
/* Words, after params_check: they point into PARAMS, free only the list. */
const char **params_words(const json_t *params, const char *name);
/* Data, after params_check: in PARAMS, or in *ret_owned, which is to be freed. */
const char *params_data(const json_t *params, const char *name, size_t *ret_length,
			char **ret_owned);

/* task.c */

struct task *task_new(struct server *server, struct rpc_call *call);
/* Make task_cancel work.  On -errno task->answer is the error. */
int task_make_cancel(struct task *task);
/* Run task->work in a thread.  On -errno task->answer is the error. */
int task_start(struct task *task);
void task_cancel(struct task *task);
/* Send the answer, unless it is a notification, and free the task. */
void task_finish(struct task *task);
/* Pipes for the output of the command.  On -errno task->answer is the error. */
int task_open_flows(struct task *task);
/* Read and report once.  False: the stream has ended. */
bool task_read_flow(struct task *task, size_t i);

/* RESULT may be NULL (out of memory): see rpc_answer. */
void answer_result(struct answer *answer, json_t *result);
void answer_error(struct answer *answer, enum rpc_code code, json_t *data,
		  const char *format, ...) __attribute__((format(printf, 4, 5)));
/* RPC_REFUSED with the refusal object. */
void answer_refused(struct answer *answer, const struct error *err);
/* The same; ERROR is freed.  If it is NULL: an internal error, by R (-errno). */
void answer_failure(struct answer *answer, int r, drupe_error *error);

/* session.c */

void session_open_begin(struct server *server, struct task *task);
void session_open_end(struct server *server, struct task *task);
void session_run_begin(struct server *server, struct task *task);
/* Answer the cancels that waited for this run, before the run itself. */
void session_run_end(struct server *server, struct task *task);
void session_cancel_begin(struct server *server, struct task *task);
void session_close_begin(struct server *server, struct task *task);
/* A task no longer uses the session: the last one starts a waiting close. */
void served_leave(struct server *server, struct served *served);
/* Start to close all sessions, without answers. */
void serve_close_sessions(struct server *server);
/* In a task's thread: open a session and make its preflight, which a readable CANCEL (-1:
 * none) ends.  NULL: ANSWER is the error. */
drupe_session *serve_open(struct server *server,
			  const struct drupe_session_options *options, int cancel,
			  struct answer *answer);
/* In a task's thread: run the command in the member COMMAND of PARAMS.  *ret_result stays
 * NULL if there is none: task->answer is the error. */
void serve_run(struct task *task, drupe_session *session, const json_t *params,
	       const char *command, drupe_result **ret_result);

/* mcp.c */

extern const char mcp_tool_text[]; /* tool.json */
int mcp_init(struct server *server);
void mcp_free(struct server *server);

#endif
