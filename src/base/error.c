/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "base/error.h"

#include <errno.h>
#include <stdarg.h>
#include <string.h>

#include "base/utf8.h"

static const struct {
	enum stage stage;
	const char *word;
	const char *help;
} code_table[] = { [ERROR_NONE] = { STAGE_INTERNAL, "none", "" },
#define X(name, stage, word, help) [ERROR_##name] = { STAGE_##stage, word, help },
		   ERROR_CODES(X)
#undef X
};

static const char *const stage_names[] = {
	[STAGE_POLICY] = "policy",	 [STAGE_BACKEND] = "backend",
	[STAGE_PREFLIGHT] = "preflight", [STAGE_SCOPE] = "scope",
	[STAGE_LAUNCHER] = "launcher",	 [STAGE_VERIFY] = "verify",
	[STAGE_NETWORK] = "network",	 [STAGE_RLIMITS] = "rlimits",
	[STAGE_SESSION] = "session",	 [STAGE_INTERNAL] = "internal",
};

int error_set(struct error *err, enum error_code code, int errnum, const char *format,
	      ...)
{
	if (err) {
		va_list args;

		err->code = code;
		err->errnum = errnum;
		err->backend[0] = '\0';
		err->hint[0] = '\0';
		va_start(args, format);
		vsnprintf(err->message, sizeof(err->message), format, args);
		va_end(args);
	}
	return errnum > 0 ? -errnum : -EINVAL;
}

void error_hint(struct error *err, const char *format, ...)
{
	va_list args;

	if (!err)
		return;
	va_start(args, format);
	vsnprintf(err->hint, sizeof(err->hint), format, args);
	va_end(args);
}

void error_backend(struct error *err, const char *kind, const char *name)
{
	if (err)
		snprintf(err->backend, sizeof(err->backend), "%s-%s", kind, name);
}

const char *error_code_word(enum error_code code)
{
	return code_table[code].word;
}

const char *error_code_help(enum error_code code)
{
	return code_table[code].help;
}

enum stage error_stage(enum error_code code)
{
	return code_table[code].stage;
}

const char *stage_name(enum stage stage)
{
	return stage_names[stage];
}

size_t error_code_count(void)
{
	return sizeof(code_table) / sizeof(code_table[0]) - 1;
}

void print_escaped(FILE *file, const char *text)
{
	size_t left = strlen(text);

	while (left > 0) {
		size_t n = utf8_character(text, left);
		unsigned char c = (unsigned char)*text;

		if (n == 0 || (n == 1 && (c < 0x20 || c == 0x7f)) ||
		    (n == 2 && c == 0xc2 && (unsigned char)text[1] < 0xa0)) {
			fprintf(file, "\\x%02x", c);
			n = 1;
		} else {
			fwrite(text, 1, n, file);
		}
		text += n;
		left -= n;
	}
}

static void print_stage(const struct error *err)
{
	fputs(stage_name(error_stage(err->code)), stderr);
	if (err->backend[0]) {
		fputs(" (", stderr);
		print_escaped(stderr, err->backend);
		fputc(')', stderr);
	}
	fputs(": ", stderr);
}

void error_print(const struct error *err)
{
	flockfile(stderr);
	fputs("drupe: ", stderr);
	if (err->code != ERROR_USAGE) /* its stage tells the user nothing */
		print_stage(err);
	print_escaped(stderr, err->message);
	fputc('\n', stderr);
	if (err->hint[0]) {
		fputs("drupe: fix: ", stderr);
		print_escaped(stderr, err->hint);
		fputc('\n', stderr);
	}
	funlockfile(stderr);
}
