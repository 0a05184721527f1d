/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * A good rlimits backend, of which each macro of build.sh spoils one thing.
 * What a broken compiler, a broken author or another version might hand over.
 */
#include "drupe-backend.h"

#ifndef NAME
#define NAME "good"
#endif
#ifndef ABI
#define ABI DRUPE_BACKEND_ABI
#endif
#ifndef KIND
#define KIND DRUPE_KIND_RLIMITS
#endif
#ifndef SIZE
#define SIZE sizeof(struct drupe_backend)
#endif
#ifndef TOOL
#define TOOL "/usr/bin/prlimit"
#endif
#ifndef WORDS
#define WORDS some_words
#endif
#ifndef OPS
#define OPS &ops
#endif
#ifndef OPS_SIZE
#define OPS_SIZE sizeof(ops)
#endif
#ifndef OPTIONS
#define OPTIONS
#endif
#ifndef OPTION_SIZE
#define OPTION_SIZE sizeof(options[0])
#endif
#ifndef OPTION_TABLE
#define OPTION_TABLE options
#endif
#ifndef N_OPTIONS
#define N_OPTIONS (sizeof(options) / sizeof(options[0]))
#endif
#ifndef FEATURES
#define FEATURES NULL
#endif

#ifdef UNDEFINED
void drupe_removed_function(void);
#endif

/* Addresses for what should be a pointer into a loaded object. */
#define WILD(type) ((type)0x1000)

static const char long_text[] __attribute__((unused)) =
	"a-name-that-never-seems-to-end-a-name-that-never-seems-to-end-a-name-that-never-"
	"seems-to-end-a-name-that-never-seems-to-end-a-name-that-never-seems-to-end-a-"
	"name-"
	"that-never-seems-to-end-a-name-that-never-seems-to-end-a-name-that-never-seems-"
	"to-"
	"end-a-name-that-never-seems-to-end-a-name-that-never-seems-to-end";

#ifdef REPLACED
#include <stdio.h>
#include <stdlib.h>

/* While it is loaded another file takes its place. */
__attribute__((constructor)) static void replace(void)
{
	const char *from = getenv("DRUPE_TEST_FROM"), *to = getenv("DRUPE_TEST_TO");

	if (from && to)
		rename(from, to);
}
#endif

static void some_words(const struct drupe_call *call, const struct drupe_rlimits *limits,
		       struct drupe_words *words)
{
#ifdef UNDEFINED
	drupe_removed_function();
#endif
	(void)limits;
	call->host->push(words, TOOL);
	call->host->push(words, "--");
}

static const struct drupe_rlimits_ops ops __attribute__((unused)) = {
	.size = OPS_SIZE,
	.words = WORDS,
};

static const struct drupe_launcher_ops other_ops __attribute__((unused)) = {
	.size = sizeof(other_ops),
};

static const struct drupe_option options[] = {
	{ "number", DRUPE_OPTION_COUNT, 1, 9, NULL, "a number" }, OPTIONS
};

#if defined(NO_SYMBOL)
const int drupe_backend_v0 = 1;
#elif defined(FUNCTION)
__attribute__((visibility("default"))) void drupe_backend_v1(void);
void drupe_backend_v1(void)
{
	some_words(NULL, NULL, NULL);
}
#elif defined(TINY)
__attribute__((visibility("default"))) extern const uint32_t drupe_backend_v1;
const uint32_t drupe_backend_v1 = 64;
#else
DRUPE_BACKEND_EXPORT = {
	.size = SIZE,
	.abi = ABI,
	.kind = KIND,
	.name = NAME,
	.version = "1",
	.summary = "spoilt on purpose",
	.tool = TOOL,
	.tool_features = FEATURES,
	.options = OPTION_TABLE,
	.n_options = N_OPTIONS,
	.option_size = OPTION_SIZE,
#ifdef TWO_SLOTS
	.launcher = &other_ops,
#endif
	.rlimits = OPS,
};
#endif
