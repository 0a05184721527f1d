/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "backend/call.h"

#include <dlfcn.h>
#include <pthread.h>

static pthread_mutex_t turns = PTHREAD_MUTEX_INITIALIZER;

struct turn {
	pthread_mutex_t *of;
};

/* The only way into and out of a backend's code: whatever must surround every call
 * belongs in these two functions. */
static struct turn turn_begin(void)
{
	pthread_mutex_lock(&turns);
	return (struct turn){ &turns };
}

static void turn_end(const struct turn *turn)
{
	pthread_mutex_unlock(turn->of);
}

/* Held until the function returns. */
#define TAKE_TURN() \
	__attribute__((cleanup(turn_end))) const struct turn turn = turn_begin()

void *call_dlopen(const char *file)
{
	TAKE_TURN();

	return dlopen(file, RTLD_NOW | RTLD_LOCAL);
}

/* ---- scope ---- */

void call_scope_words(const struct backend *scope, const struct drupe_scope *request,
		      struct drupe_words *words)
{
	TAKE_TURN();

	scope->scope.words(&scope->call, request, words);
}

void call_scope_stop_words(const struct backend *scope, const struct drupe_scope *request,
			   struct drupe_words *words)
{
	TAKE_TURN();

	scope->scope.stop_words(&scope->call, request, words);
}

int call_scope_cgroup(const struct backend *scope, const struct drupe_scope *request,
		      char *ret, size_t size)
{
	TAKE_TURN();

	return scope->scope.cgroup(&scope->call, request, ret, size);
}

int call_scope_setup(const struct backend *scope, const struct drupe_scope *request,
		     struct drupe_cgroup_setup *ret_setup)
{
	TAKE_TURN();

	*ret_setup = (struct drupe_cgroup_setup){ .size = sizeof(*ret_setup) };
	if (!scope->scope.setup)
		return 0;
	return scope->scope.setup(&scope->call, request, ret_setup);
}

/* ---- launcher ---- */

void call_launcher_words(const struct backend *launcher,
			 const struct drupe_launch *launch, struct drupe_words *words)
{
	TAKE_TURN();

	launcher->launcher.words(&launcher->call, launch, words);
}

int call_parse_info(const struct backend *launcher, const char *text, size_t length,
		    struct drupe_child *ret_child)
{
	TAKE_TURN();

	*ret_child = (struct drupe_child){ .size = sizeof(*ret_child) };
	return launcher->launcher.parse_info(&launcher->call, text, length, ret_child);
}

int call_parse_status(const struct backend *launcher, const char *text, size_t length,
		      struct drupe_exit *ret_exit)
{
	TAKE_TURN();

	*ret_exit = (struct drupe_exit){ .size = sizeof(*ret_exit) };
	return launcher->launcher.parse_status(&launcher->call, text, length, ret_exit);
}

void call_diagnose(const struct backend *backend, const char *text,
		   struct drupe_diagnosis *ret_diagnosis)
{
	TAKE_TURN();
	void (*diagnose)(const struct drupe_call *, const char *,
			 struct drupe_diagnosis *) = backend->slot == SLOT_SCOPE
							     ? backend->scope.diagnose
							     : backend->launcher.diagnose;

	*ret_diagnosis = (struct drupe_diagnosis){ .size = sizeof(*ret_diagnosis) };
	if (diagnose)
		diagnose(&backend->call, text, ret_diagnosis);
}

/* ---- rlimits ---- */

void call_rlimits_words(const struct backend *rlimits, const struct drupe_rlimits *limits,
			struct drupe_words *words)
{
	TAKE_TURN();

	rlimits->rlimits.words(&rlimits->call, limits, words);
}

/* ---- network ---- */

int call_network_file(const struct backend *network, size_t i, char *scratch, size_t size,
		      struct drupe_resolver_file *ret_file)
{
	TAKE_TURN();

	*ret_file = (struct drupe_resolver_file){ NULL, NULL };
	return network->network.file(&network->call, i, scratch, size, ret_file);
}

void call_network_words(const struct backend *network, const struct drupe_attach *attach,
			struct drupe_words *words)
{
	TAKE_TURN();

	network->network.words(&network->call, attach, words);
}
