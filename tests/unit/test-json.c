/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The one road to JSON: text of any bytes, and no memory at any point. */
#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/json.h"
#include "run/result.h"
#include "serve/rpc.h"
#include "session/listing.h"

/* ---- an allocator that fails ---- */

static size_t asked, fails_at; /* the number of the one that fails, 0: none */
static bool for_ever;	       /* and all that follow */
static long held;

static void *allocate(size_t size)
{
	if (++asked == fails_at || (for_ever && fails_at && asked > fails_at))
		return NULL;
	held++;
	return malloc(size);
}

static void give_back(void *memory)
{
	held -= memory != NULL;
	free(memory);
}

static void fail_at(size_t n)
{
	asked = 0;
	fails_at = n;
}

static int set_allocator(void **state)
{
	(void)state;
	json_set_alloc_funcs(allocate, give_back);
	held = 0;
	return 0;
}

static int reset_allocator(void **state)
{
	(void)state;
	fail_at(0);
	json_set_alloc_funcs(malloc, free);
	return held == 0 ? 0 : -1;
}

/* Make the same with each allocation failing in turn: it is whole, or it is NULL. */
static void never_in_part(json_t *(*make)(void))
{
	json_t *json;
	char *whole;

	fail_at(0);
	json = make();
	whole = json_line(json);
	assert_non_null(whole);
	json_decref(json);
	for (int i = 0; i < 2; i++) {
		for_ever = i;
		for (size_t n = 1;; n++) {
			bool failed;

			fail_at(n);
			json = make();
			failed = asked >= n;
			fail_at(0);
			assert_true(failed ? !json : json != NULL);
			if (!failed)
				break;
		}
		json_decref(json);
	}
	free(whole);
}

/* ---- what is made ---- */

static char binary[] = "a\xff";
static struct captured no_text = { .text = binary, .length = 2, .bytes = 2 };

static json_t *make_result(void)
{
	char *command[] = { (char[]){ "true" }, (char[]){ "\xff" }, NULL };
	const struct policy policy = { .source = (char[]){ "/etc/\xff.yaml" } };
	struct result result;

	result_init(&result);
	error_set(&result.refusal, ERROR_USAGE, EINVAL, "no \xff here");
	error_hint(&result.refusal, "leave \xff out");
	result.has_text = true;
	result.streams[0] = no_text;
	return result_json(&result, &policy, "build", command);
}

static json_t *make_listing(void)
{
	struct registry_entry entry = { .slot = SLOT_LAUNCHER, .name = "x" };

	error_set(&entry.error, ERROR_BACKEND_INVALID, 0, "\xff");
	error_backend(&entry.error, "launcher", "\xff");
	return listing_json("/\xff", &entry, 1, NULL);
}

static void no_memory_is_never_a_part(void **state)
{
	(void)state;
	never_in_part(make_result);
	never_in_part(make_listing);
}

static void bytes_that_are_no_text(void **state)
{
	json_t *json;
	char *line;

	(void)state;
	json = make_listing();
	line = json_line(json);
	assert_non_null(strstr(line, "{\"folder\":\"/\xef\xbf\xbd\","));
	assert_non_null(strstr(line, "\"file\":\"/\xef\xbf\xbd/launcher-x.so\""));
	assert_non_null(strstr(line, "\"backend\":\"launcher-\xef\xbf\xbd\""));
	free(line);
	json_decref(json);
	json = make_result();
	line = json_line(json);
	assert_non_null(strstr(line, "\"source\":\"/etc/\xef\xbf\xbd.yaml\""));
	assert_non_null(strstr(line, "\"base64\":\"Yf8=\",\"encoding\":\"base64\""));
	assert_non_null(strstr(line, "\"command\":[\"true\",\"\xef\xbf\xbd\"]"));
	free(line);
	json_decref(json);
	json = json_with("\xff"
			 "a",
			 json_text("\xe2\x98"));
	line = json_line(json);
	assert_string_equal(line, "{\"\xef\xbf\xbd"
				  "a\":\"\xef\xbf\xbd\xef\xbf\xbd\"}");
	free(line);
	json_decref(json);
}

static void numbers(void **state)
{
	static const struct {
		double seconds;
		const char *text;
	} cases[] = {
		{ 0, "[0.0]" },
		{ 0.1, "[0.1]" },
		{ 1.0 / 3, "[0.333333]" },
		{ 2.0 / 3, "[0.666667]" },
		{ 0.0000004, "[0.0]" },
		{ 86400.1234567, "[86400.123457]" },
		{ NAN, "[null]" },
	};
	static const struct {
		uint64_t count;
		const char *text;
	} counts[] = {
		{ 0, "[0]" },
		{ INT64_MAX, "[9223372036854775807]" },
		{ (uint64_t)INT64_MAX + 1, "[null]" },
		{ UINT64_MAX, "[null]" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		json_t *array = json_array();
		char *line;

		json_push(&array, json_seconds(cases[i].seconds));
		line = json_line(array);
		assert_string_equal(line, cases[i].text);
		free(line);
		json_decref(array);
	}
	for (size_t i = 0; i < sizeof(counts) / sizeof(counts[0]); i++) {
		json_t *array = json_array();
		char *line;

		json_push(&array, json_count(counts[i].count));
		line = json_line(array);
		assert_string_equal(line, counts[i].text);
		free(line);
		json_decref(array);
	}
}

static void what_failed_stays_so(void **state)
{
	json_t *object = json_object(), *array = json_array();

	(void)state;
	json_put(&object, "a", json_integer(1));
	json_put(&object, "b", NULL);
	assert_null(object);
	json_put(&object, "c", json_integer(1));
	assert_null(object);
	json_push(&array, object);
	assert_null(array);
	json_push(&array, json_null());
	assert_null(array);
	assert_null(json_with("a", NULL));
	assert_null(json_line(NULL));
	assert_int_equal(json_write(STDOUT_FILENO, NULL), -ENOMEM);
}

/* ---- answers ---- */

/* Answer with each allocation failing in turn: the client gets a whole message with the
 * id, or rpc_flush tells that it gets none. */
static void answers(void (*send)(struct rpc *rpc, json_t *id))
{
	size_t whole = 0, errors = 0, lost = 0;

	for (size_t n = 1; whole == 0; n++) {
		json_t *id = json_integer(7), *message;
		char text[4096];
		struct rpc rpc;
		int ends[2];

		assert_int_equal(pipe(ends), 0);
		assert_int_equal(rpc_init(&rpc, -1, ends[1]), 0);
		fail_at(n);
		send(&rpc, id);
		fail_at(0);
		if (rpc_flush(&rpc) < 0) {
			assert_int_equal(rpc_waiting(&rpc), 0);
			lost++;
		} else {
			ssize_t length = read(ends[0], text, sizeof(text));

			assert_true(length > 1 && text[length - 1] == '\n');
			message = json_loadb(text, (size_t)length, 0, NULL);
			assert_true(json_equal(json_object_get(message, "id"), id));
			if (json_object_get(message, "error"))
				errors++;
			else
				whole++;
			json_decref(message);
		}
		rpc_free(&rpc);
		close(ends[0]);
		close(ends[1]);
		json_decref(id);
	}
	assert_true(errors > 0 && lost > 0);
}

static void send_result(struct rpc *rpc, json_t *id)
{
	rpc_answer(rpc, id, make_result());
}

static void an_answer_is_whole_or_told(void **state)
{
	(void)state;
	for_ever = false;
	answers(send_result);
}

static void a_refusal_without_its_object(void **state)
{
	json_t *id = json_integer(7), *message;
	char text[4096];
	struct rpc rpc;
	ssize_t length;
	int ends[2];

	(void)state;
	assert_int_equal(pipe(ends), 0);
	assert_int_equal(rpc_init(&rpc, -1, ends[1]), 0);
	rpc_refuse(&rpc, id, RPC_REFUSED, NULL, "no");
	assert_int_equal(rpc_flush(&rpc), 0);
	length = read(ends[0], text, sizeof(text));
	message = json_loadb(text, (size_t)length, 0, NULL);
	assert_int_equal(json_integer_value(json_object_get(
				 json_object_get(message, "error"), "code")),
			 RPC_INTERNAL_ERROR);
	json_decref(message);
	json_decref(id);
	rpc_free(&rpc);
	close(ends[0]);
	close(ends[1]);
}

static void a_file_that_is_full(void **state)
{
	int fd = open("/dev/full", O_WRONLY | O_CLOEXEC);
	json_t *json = json_object();

	(void)state;
	assert_true(fd >= 0);
	assert_int_equal(json_write(fd, json), -ENOSPC);
	json_decref(json);
	close(fd);
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, set_allocator, reset_allocator)
	const struct CMUnitTest tests[] = {
		TEST(no_memory_is_never_a_part),
		TEST(bytes_that_are_no_text),
		TEST(numbers),
		TEST(what_failed_stays_so),
		TEST(a_refusal_without_its_object),
		TEST(a_file_that_is_full),
		TEST(an_answer_is_whole_or_told),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
