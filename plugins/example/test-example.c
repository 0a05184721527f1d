/* SPDX-License-Identifier: MIT */
/*
 * A test of a backend without drupe: load it, hand it a host of our own, look at
 * the words.  `struct drupe_words` and `struct drupe_options` are opaque to a
 * backend, so they are whatever the host says; here, a text and two numbers.
 */
#include <drupe/backend.h>

#include <dlfcn.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct drupe_words {
	char text[1024]; /* the words, each followed by a blank */
	int error;
};

struct drupe_options {
	uint64_t sigpending, msgqueue; /* 0: not set */
};

static void test_push(struct drupe_words *words, const char *word)
{
	size_t used = strlen(words->text);

	snprintf(words->text + used, sizeof(words->text) - used, "%s ", word);
}

static void test_pushf(struct drupe_words *words, const char *format, ...)
{
	char word[256];
	va_list args;

	va_start(args, format);
	vsnprintf(word, sizeof(word), format, args);
	va_end(args);
	test_push(words, word);
}

static void test_fail(struct drupe_words *words, int err, const char *format, ...)
{
	(void)format;
	words->error = err;
}

static uint64_t test_number(const struct drupe_options *options, const char *key,
			    uint64_t fallback)
{
	uint64_t value = strcmp(key, "sigpending") == 0 ? options->sigpending
							: options->msgqueue;

	return value ? value : fallback;
}

static const struct drupe_host host = {
	.size = sizeof(host),
	.push = test_push,
	.pushf = test_pushf,
	.fail = test_fail,
	.option_number = test_number,
};

static int failures;

static void expect(const struct drupe_backend *backend,
		   const struct drupe_options *options, const char *name,
		   const char *text, bool error)
{
	struct drupe_call call = { .size = sizeof(call),
				   .host = &host,
				   .options = options };
	struct drupe_rlimit limit = { name, 7, 64 };
	struct drupe_rlimits limits = { sizeof(limits), &limit, 1, sizeof(limit) };
	struct drupe_words words = { .error = 0 };

	backend->rlimits->words(&call, &limits, &words);
	if ((words.error != 0) == error && (error || strcmp(words.text, text) == 0))
		return;
	printf("%s: error %d, got \"%s\", not \"%s\"\n", name, words.error, words.text,
	       text);
	failures++;
}

int main(void)
{
	/* The same flags as drupe: undefined symbols show here, not in a run. */
	void *handle = dlopen(BACKEND, RTLD_NOW | RTLD_LOCAL);
	const struct drupe_backend *backend = handle ? dlsym(handle, DRUPE_BACKEND_SYMBOL)
						     : NULL;

	if (!backend) {
		fprintf(stderr, "%s\n", dlerror());
		return EXIT_FAILURE;
	}
	expect(backend, &(struct drupe_options){ 0, 0 }, "nofile",
	       PRLIMIT_PATH " --nofile=64:64 -- ", false);
	expect(backend, &(struct drupe_options){ 5, 4096 }, "core",
	       PRLIMIT_PATH " --core=64:64 --sigpending=5:5 --msgqueue=4096:4096 -- ",
	       false);
	expect(backend, &(struct drupe_options){ 0, 0 }, "moonphase", "", true);
	return failures ? EXIT_FAILURE : EXIT_SUCCESS;
}
