/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What the tests of the network backends share: options as a policy sets them, and the
 * words of a helper as one line.  The backend is linked. */
#ifndef TEST_NETWORK_WORDS_H
#define TEST_NETWORK_WORDS_H

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/argv.h"
#include "backend/host.h"

extern const struct drupe_backend drupe_backend_v1;

#define TEXT(text) ((char *)(uintptr_t)(text))
#define MAX_SET 8

struct setting {
	const char *key, *value;
};

/* 0, or what the host says to them.  SETTINGS ends with a NULL key; NULL: none. */
static inline int set_options(const struct setting *settings,
			      struct drupe_options **ret_options)
{
	struct policy_option options[MAX_SET];
	struct policy policy = { .source = TEXT("p.yaml"), .options = options };
	struct error err = { 0 };

	for (; settings && settings->key; settings++)
		options[policy.n_options++] = (struct policy_option){
			.backend = TEXT(drupe_backend_v1.name),
			.key = TEXT(settings->key),
			.value = TEXT(settings->value)
		};
	return host_options(&drupe_backend_v1, &policy, ret_options, &err);
}

static inline void assert_words(const struct setting *settings,
				const struct drupe_attach *attach, const char *expected)
{
	struct drupe_call call = { .size = sizeof(call), .host = &host_callbacks };
	struct drupe_options *options = NULL;
	_cleanup_argv_ struct drupe_words words = { 0 };
	char line[2048] = "";

	assert_int_equal(set_options(settings, &options), 0);
	call.options = options;
	drupe_backend_v1.network->words(&call, attach, &words);
	assert_int_equal(words.errnum, 0);
	for (size_t i = 0; i < words.count; i++) {
		strcat(line, i > 0 ? " " : "");
		strcat(line, words.words[i]);
	}
	assert_string_equal(line, expected);
	host_options_free(options);
}

/* The files that a backend wants: a resolv.conf with this text, the CA bundle, no more.
 */
static inline void assert_files(const struct setting *settings, const char *resolv)
{
	struct drupe_call call = { .size = sizeof(call), .host = &host_callbacks };
	const struct drupe_network_ops *ops = drupe_backend_v1.network;
	struct drupe_options *options = NULL;
	struct drupe_resolver_file file = { NULL, NULL };
	char scratch[256];

	assert_int_equal(set_options(settings, &options), 0);
	call.options = options;
	assert_int_equal(ops->file(&call, 0, scratch, sizeof(scratch), &file), 0);
	assert_string_equal(file.dest, "/etc/resolv.conf");
	assert_string_equal(file.text, resolv);
	assert_int_equal(ops->file(&call, 1, scratch, sizeof(scratch), &file), 0);
	assert_string_equal(file.dest, "/etc/ssl/certs/ca-certificates.crt");
	assert_null(file.text);
	assert_int_equal(ops->file(&call, 2, scratch, sizeof(scratch), &file), -ENOENT);
	host_options_free(options);
}

static inline void assert_refused(const char *key, const char *value)
{
	const struct setting settings[] = { { key, value }, { NULL, NULL } };
	struct drupe_options *options = NULL;

	if (set_options(settings, &options) == 0)
		fail_msg("%s: %s was taken", key, value);
}

#endif
