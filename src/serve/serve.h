/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * drupe serve: requests of one client, worked on beside each other.
 *
 *   serve.c    the loop: descriptors, signals, tasks that have ended, the end
 *   task.c     one request that takes time: a thread, and what the command writes
 *   session.c  session.open, run, cancel, close
 *   params.c   what a request's params may hold, by tables
 *   methods.c  the methods of drupe-serve(7)
 *   mcp.c      those of the Model Context Protocol
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

#define SERVE_KNOWN_RUNS 1024 /* ids of ended runs that a session remembers */

/* What the caller of `drupe serve` said. */
struct serve_options {
	const char *policy;	       /* as -p */
	const struct request *request; /* what sessions begin with */
	const struct paths *paths;
	bool mcp; /* the Model Context Protocol, not drupe's own */
};

/* Serve one client on stdin and stdout until it is gone, or a signal ends it: the exit
 * status.  ERR: it could not begin. */
int serve(const struct serve_options *options, struct error *err);

struct server;
struct task;

/* A session that the client has open. */
struct served {
	struct served *next;
	char id[24];
	drupe_session *session;
	unsigned tasks;			 /* that use it */
	struct task *closer;		 /* waits for them to end */
	json_t *known[SERVE_KNOWN_RUNS]; /* ids of its runs, the last ones */
	unsigned long n_known;
};

struct answer {
	enum rpc_code code; /* 0: a result */
	json_t *json;	    /* the result, or the error's data */
	char text[1280];    /* the error's message */
};

/* One stream of a run that is reported as it comes. */
struct flow {
	int read;     /* -1: at its end, or not reported */
	size_t place; /* among what is polled, 0: it is not */
	char rest[4]; /* a character that the last chunk cut */
	size_t n_rest;
};

struct task {
	struct task *next;
	struct server *server;
	struct rpc_call call;
	const struct method *method;
	struct served *served; /* NULL: none */
	struct flow flows[2];
	int write[2]; /* the task's ends of the flows, -1 where not reported */
	int cancel;   /* an eventfd, -1: cannot be cancelled */
	pthread_t thread;
	bool ended;  /* the thread */
	bool silent; /* the client wants no answer any more */
	/* In the thread, until it has ended: */
	void (*work)(struct task *task);
	drupe_session *opened; /* by session.open */
	struct answer answer;
};

/* A method of either protocol. */
struct method {
	const char *name;
	const struct param *params; /* up to one without a name; NULL: anything */
	/* Answer at once, or start the task (task_start), or keep it for later. */
	void (*begin)(struct server *server, struct task *task);
	/* What is left to do, in the main thread, when the thread has ended. */
	void (*end)(struct server *server, struct task *task);
	bool notification; /* means something without an answer */
};

struct server {
	const struct serve_options *options;
	const struct method *methods;
	drupe_policy *policy;
	struct rpc rpc;
	struct task *tasks;
	struct served *sessions;
	unsigned long n_opened;
	int done; /* a pipe: tasks write their address when they end */
	int done_write;
	struct rlimit nofile; /* what commands get: ours is raised */
	bool closing;	      /* nothing new is begun */
	struct mcp *mcp;      /* NULL: drupe's own protocol */
};

extern const struct method serve_methods[];
extern const struct method mcp_methods[];

/* params.c */

enum param_type {
	PARAM_TEXT,
	PARAM_WORDS,   /* an array of strings */
	PARAM_COMMAND, /* the same, not empty */
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

/* Whether PARAMS are what the table says; else *ret_answer is the error. */
bool params_check(const struct param *table, const json_t *params,
		  struct answer *ret_answer);
/* A duration that was checked; 0: not there. */
uint64_t params_duration(const json_t *params, const char *name);
/* The words of an array that was checked, pointing into it; free the list. */
const char **params_words(const json_t *params, const char *name);
/* Data that was checked: points into PARAMS, or is in *ret_owned, to be freed. */
const char *params_data(const json_t *params, const char *name, size_t *ret_length,
			char **ret_owned);

/* task.c */

struct task *task_new(struct server *server, struct rpc_call *call);
/* Let task_cancel end what it does.  0, or -errno: task->answer says so. */
int task_make_cancel(struct task *task);
/* Begin task->work in a thread.  0, or -errno: task->answer says so. */
int task_start(struct task *task);
void task_cancel(struct task *task);
/* Answer (unless it is a notification), and forget it. */
void task_finish(struct task *task);
/* Pipes for what the command writes.  0, or -errno: task->answer says so. */
int task_open_flows(struct task *task);
/* Report what came.  False: at its end. */
bool task_read_flow(struct task *task, size_t i);

/* RESULT may be NULL, as JSON is where there is no memory: see rpc_answer. */
void answer_result(struct answer *answer, json_t *result);
void answer_error(struct answer *answer, enum rpc_code code, json_t *data,
		  const char *format, ...) __attribute__((format(printf, 4, 5)));
/* -32000 with the refusal. */
void answer_refused(struct answer *answer, const struct error *err);
/* The same, and ERROR is freed; where there is none, what R, -errno, means. */
void answer_failure(struct answer *answer, int r, drupe_error *error);

/* session.c */

void session_open_begin(struct server *server, struct task *task);
void session_open_end(struct server *server, struct task *task);
void session_run_begin(struct server *server, struct task *task);
void session_cancel_begin(struct server *server, struct task *task);
void session_close_begin(struct server *server, struct task *task);
/* A task that used a session is gone: a closer may wait for that. */
void served_leave(struct server *server, struct served *served);
/* Begin to close all of them, without answers. */
void serve_close_sessions(struct server *server);
/* Open and try a session, until CANCEL (-1: none) is readable; as a worker.  NULL: ANSWER
 * says why. */
drupe_session *serve_open(struct server *server,
			  const struct drupe_session_options *options, int cancel,
			  struct answer *answer);
/* Run the words of PARAMS that are called COMMAND; as a worker.  NULL: the answer says
 * why there is no result. */
void serve_run(struct task *task, drupe_session *session, const json_t *params,
	       const char *command, drupe_result **ret_result);

/* mcp.c */

extern const char mcp_tool_text[]; /* tool.json */
int mcp_init(struct server *server);
void mcp_free(struct server *server);

#endif
