/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "backend/object.h"

#include <dlfcn.h>
#include <link.h>
#include <stdarg.h>
#include <string.h>

#include "backend/mapped.h"
#include "backend/registry.h"
#include "base/utf8.h"
#include "base/value.h"

/* The least size of a structure as of version 0.1: up to and including FIELD.  Fields
 * added later do not change it. */
#define UP_TO(type, field) (offsetof(type, field) + sizeof(((type *)NULL)->field))

#define TEXT_MAX 256 /* names, summaries and the like, with their NUL */
#define PATH_TEXT_MAX 4096
#define LIST_MAX 64 /* strings in a list; tool_features has a bit for each */
#define OPTIONS_MAX 256
#define STRIDE_MAX 4096

struct check {
	const char *file;
	const char *name;
	struct backend *backend;
	struct error *err;
};

static int refuse(const struct check *check, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

static int refuse(const struct check *check, const char *format, ...)
{
	char why[512];
	va_list args;
	int r;

	va_start(args, format);
	vsnprintf(why, sizeof(why), format, args);
	va_end(args);
	r = error_set(check->err, ERROR_BACKEND_INVALID, 0, "%s: %s", check->file, why);
	error_hint(check->err,
		   "install a version of this backend that was built for this "
		   "drupe, or tell its author");
	return r;
}

/* ---- finding and copying ---- */

/* The symbol must be data in this very file: dlsym also searches the libraries it is
 * linked with, and a function's code would be read as a size. */
static int find_symbol(const struct check *check, void *handle, const void **ret_address,
		       size_t *ret_room)
{
	const void *address = dlsym(handle, DRUPE_BACKEND_SYMBOL);
	const char *why = address ? NULL : dlerror();
	struct link_map *own = NULL;
	void *its = NULL, *entry = NULL;
	const ElfW(Sym) * symbol;
	Dl_info info;

	if (!address)
		return error_set(check->err, ERROR_BACKEND_INVALID, 0, "%s",
				 why ? why : DRUPE_BACKEND_SYMBOL " has no address");
	if (dlinfo(handle, RTLD_DI_LINKMAP, &own) != 0 ||
	    !dladdr1(address, &info, &its, RTLD_DL_LINKMAP) || its != own)
		return refuse(check,
			      DRUPE_BACKEND_SYMBOL " is not its own, but comes from a "
						   "library that it is linked with");
	if (!dladdr1(address, &info, &entry, RTLD_DL_SYMENT) || !entry ||
	    info.dli_saddr != address)
		return refuse(check, DRUPE_BACKEND_SYMBOL " has no symbol table entry");
	symbol = entry;
	if (ELF64_ST_TYPE(symbol->st_info) != STT_OBJECT)
		return refuse(check, DRUPE_BACKEND_SYMBOL
			      " is not data (a function?); declare it with "
			      "DRUPE_BACKEND_EXPORT");
	if ((uintptr_t)address % _Alignof(struct drupe_backend) != 0 ||
	    !mapped_data(address, symbol->st_size))
		return refuse(check, DRUPE_BACKEND_SYMBOL " does not lie in its data");
	*ret_address = address;
	*ret_room = symbol->st_size;
	return 0;
}

/* Copy a size-first structure, of which SOURCE has SIZE bytes: what an older backend
 * lacks becomes zero, what a newer one adds is ignored. */
static void copy_sized(void *destination, size_t destination_size, const void *source,
		       size_t size)
{
	size_t n = size < destination_size ? size : destination_size;

	memset(destination, 0, destination_size);
	memcpy(destination, source, n);
	memcpy(destination, &n, sizeof(n));
}

/* The ABI number is read first: another ABI may have another layout after it. */
static int copy_object(const struct check *check, const struct drupe_backend *source,
		       size_t room)
{
	const size_t need = UP_TO(struct drupe_backend, network);

	if (room < UP_TO(struct drupe_backend, abi))
		return refuse(check, "short struct: got %zu bytes, need %zu", room, need);
	if (source->abi != DRUPE_BACKEND_ABI)
		return refuse(check, "ABI %u, this drupe speaks %d", source->abi,
			      DRUPE_BACKEND_ABI);
	if (source->size > room)
		return refuse(check, "its size says %zu bytes, but the symbol has %zu",
			      source->size, room);
	if (source->size < need)
		return refuse(check, "short struct: got %zu bytes, need %zu",
			      source->size, need);
	copy_sized(&check->backend->object, sizeof(check->backend->object), source,
		   source->size);
	return 0;
}

/* ---- texts and lists ---- */

static bool is_printable(const char *text)
{
	if (!utf8_valid(text, strlen(text), NULL))
		return false;
	for (; *text; text++)
		if ((unsigned char)*text < 0x20 || *text == 0x7f)
			return false;
	return true;
}

static int check_text(const struct check *check, const char *what, const char *text,
		      size_t max)
{
	if (!text)
		return refuse(check, "%s is missing (NULL)", what);
	if (!mapped_text(text, max))
		return refuse(check,
			      "%s is not a text under %zu bytes in a loaded object", what,
			      max);
	if (!is_printable(text))
		return refuse(check, "%s is not printable UTF-8", what);
	return 0;
}

/* A NULL-terminated list of texts, which may itself be NULL. */
static int check_list(const struct check *check, const char *what,
		      const char *const *list)
{
	if (!list)
		return 0;
	for (size_t i = 0; i <= LIST_MAX; i++) {
		int r;

		if ((uintptr_t)&list[i] % _Alignof(char *) != 0 ||
		    !mapped_data(&list[i], sizeof(list[i])))
			return refuse(check, "%s does not lie in a loaded object", what);
		if (!list[i])
			return 0;
		r = check_text(check, what, list[i], PATH_TEXT_MAX);
		if (r < 0)
			return r;
	}
	return refuse(check, "%s has more than %d entries, or no NULL at its end", what,
		      LIST_MAX);
}

/* An array whose elements are STRIDE bytes apart, at least NEED. */
static int check_array(const struct check *check, const char *what, const void *array,
		       size_t count, size_t stride, size_t need, size_t alignment)
{
	if (count == 0)
		return 0;
	if (!array)
		return refuse(check, "%s is missing (NULL), but counts %zu", what, count);
	if (count > OPTIONS_MAX)
		return refuse(check, "%s counts %zu, more than %d", what, count,
			      OPTIONS_MAX);
	if (stride < need || stride > STRIDE_MAX || stride % alignment != 0)
		return refuse(check, "%s has elements of %zu bytes, need %zu", what,
			      stride, need);
	if ((uintptr_t)array % alignment != 0 || !mapped_data(array, count * stride))
		return refuse(check, "%s does not lie in a loaded object", what);
	return 0;
}

/* ---- options ---- */

static bool is_key(const char *key)
{
	size_t n = strspn(key, "abcdefghijklmnopqrstuvwxyz0123456789_");

	return key[n] == '\0' && n >= 1 && n <= 32 && key[0] >= 'a' && key[0] <= 'z';
}

static int check_option(const struct check *check, const struct drupe_option *option)
{
	int r;

	r = check_text(check, "an option's key", option->key, TEXT_MAX);
	if (r < 0)
		return r;
	if (!is_key(option->key))
		return refuse(check, "option \"%s\": a key is [a-z][a-z0-9_]{0,31}",
			      option->key);
	if (option->type < DRUPE_OPTION_BOOL || option->type > DRUPE_OPTION_CIDR4)
		return refuse(check, "option %s has the unknown type %d", option->key,
			      (int)option->type);
	if (option->min > option->max)
		return refuse(check, "option %s: its minimum is above its maximum",
			      option->key);
	if (option->type == DRUPE_OPTION_WORD && !option->words)
		return refuse(check, "option %s has no list of words", option->key);
	r = check_list(check, "an option's list of words", option->words);
	if (r < 0)
		return r;
	return check_text(check, "an option's help", option->help, PATH_TEXT_MAX);
}

static int check_options(const struct check *check)
{
	const struct drupe_backend *object = &check->backend->object;
	int r;

	r = check_array(check, "the option table", object->options, object->n_options,
			object->option_size, UP_TO(struct drupe_option, help),
			_Alignof(struct drupe_option));
	for (size_t i = 0; r == 0 && i < object->n_options; i++) {
		const struct drupe_option *option = host_option_at(object, i);

		r = check_option(check, option);
		for (size_t j = 0; r == 0 && j < i; j++)
			if (strcmp(option->key, host_option_at(object, j)->key) == 0)
				r = refuse(check, "option %s is declared twice",
					   option->key);
	}
	return r;
}

/* ---- the four kinds ---- */

static int check_guarantees(const struct check *check)
{
	const struct drupe_launcher_ops *ops = &check->backend->launcher;
	unsigned seen = 0;
	int r;

	r = check_array(check, "the table of guarantees", ops->guarantees,
			ops->n_guarantees, ops->guarantee_size,
			UP_TO(struct drupe_guarantee_word, word),
			_Alignof(struct drupe_guarantee_word));
	for (size_t i = 0; r == 0 && i < ops->n_guarantees; i++) {
		const struct drupe_guarantee_word *entry =
			(const void *)((const char *)ops->guarantees +
				       i * ops->guarantee_size);

		if (entry->guarantee < 1 || entry->guarantee > DRUPE_N_GUARANTEES)
			return refuse(check, "guarantee %d is unknown",
				      (int)entry->guarantee);
		r = check_text(check, "a guarantee's word", entry->word, TEXT_MAX);
		seen |= 1u << entry->guarantee;
	}
	for (int i = 1; r == 0 && i <= DRUPE_N_GUARANTEES; i++)
		if (!(seen & 1u << i))
			r = refuse(check,
				   "guarantee %d of %d is missing: a launcher keeps all",
				   i, DRUPE_N_GUARANTEES);
	return r;
}

static int check_environment(const struct check *check)
{
	return check_list(check, "the list of variables",
			  check->backend->scope.environment);
}

static int check_network(const struct check *check)
{
	const struct drupe_network_ops *ops = &check->backend->network;
	int r;

	if (ops->ready != DRUPE_READY_FD && ops->ready != DRUPE_READY_PIDFILE)
		return refuse(check, "its readiness method, %d, is unknown",
			      (int)ops->ready);
	if (ops->stop != DRUPE_STOP_EXIT_FD && ops->stop != DRUPE_STOP_SIGNAL)
		return refuse(check, "its stop method, %d, is unknown", (int)ops->stop);
	r = check_list(check, "the probe", ops->probe);
	if (r == 0)
		r = check_list(check, "what the probe needs", ops->probe_needs);
	if (r == 0 && ops->probe_needs && (!ops->probe || !ops->probe_message))
		r = refuse(check, "it has probe needs, but no probe or no message");
	if (r == 0 && ops->probe_message)
		r = check_text(check, "the probe's message", ops->probe_message,
			       PATH_TEXT_MAX);
	return r;
}

#define FUNCTION(type, field, ...)                                              \
	{                                                                       \
#field, offsetof(struct drupe_##type##_ops, field), __VA_ARGS__ \
	}

/* What each kind of ops needs: its place in the object, its size as of version 0.1, its
 * functions and whether each may be NULL. */
static const struct kind {
	size_t place;
	size_t need;
	size_t size;
	struct {
		const char *name;
		size_t place;
		bool may_be_null;
	} functions[6];
	int (*check)(const struct check *check);
} kinds[N_SLOTS] = {
	[SLOT_SCOPE] = { offsetof(struct drupe_backend, scope),
			 UP_TO(struct drupe_scope_ops, cgroup),
			 sizeof(struct drupe_scope_ops),
			 { FUNCTION(scope, words), FUNCTION(scope, stop_words),
			   FUNCTION(scope, cgroup), FUNCTION(scope, setup, true),
			   FUNCTION(scope, diagnose, true) },
			 check_environment },
	[SLOT_LAUNCHER] = { offsetof(struct drupe_backend, launcher),
			    UP_TO(struct drupe_launcher_ops, parse_status),
			    sizeof(struct drupe_launcher_ops),
			    { FUNCTION(launcher, words), FUNCTION(launcher, parse_info),
			      FUNCTION(launcher, parse_status),
			      FUNCTION(launcher, diagnose, true) },
			    check_guarantees },
	[SLOT_RLIMITS] = { offsetof(struct drupe_backend, rlimits),
			   UP_TO(struct drupe_rlimits_ops, words),
			   sizeof(struct drupe_rlimits_ops),
			   { FUNCTION(rlimits, words) },
			   NULL },
	[SLOT_NETWORK] = { offsetof(struct drupe_backend, network),
			   UP_TO(struct drupe_network_ops, words),
			   sizeof(struct drupe_network_ops),
			   { FUNCTION(network, file), FUNCTION(network, words) },
			   check_network },
};

static const void *pointer_at(const void *structure, size_t place)
{
	const void *pointer;

	memcpy(&pointer, (const char *)structure + place, sizeof(pointer));
	return pointer;
}

static int check_one_slot(const struct check *check)
{
	const struct drupe_backend *object = &check->backend->object;
	enum slot slot = check->backend->slot;

	if (!pointer_at(object, kinds[slot].place))
		return refuse(check, "it has no functions for its kind, %s (NULL)",
			      slot_names[slot]);
	for (enum slot other = 0; other < N_SLOTS; other++)
		if (other != slot && pointer_at(object, kinds[other].place))
			return refuse(
				check,
				"it fills two slots, %s and %s: a backend fills one",
				slot_names[slot], slot_names[other]);
	return 0;
}

static int copy_ops(const struct check *check)
{
	const struct kind *kind = &kinds[check->backend->slot];
	const void *source = pointer_at(&check->backend->object, kind->place);
	void *ops = &check->backend->scope; /* a union: the same place for each kind */
	size_t size;

	if ((uintptr_t)source % _Alignof(struct drupe_scope_ops) != 0 ||
	    !mapped_data(source, sizeof(size)))
		return refuse(check, "its functions do not lie in a loaded object");
	memcpy(&size, source, sizeof(size));
	if (size < kind->need)
		return refuse(check, "short struct: got %zu bytes of functions, need %zu",
			      size, kind->need);
	if (!mapped_data(source, size))
		return refuse(check, "its functions claim %zu bytes, more than there are",
			      size);
	copy_sized(ops, kind->size, source, size);
	for (size_t i = 0; kind->functions[i].name; i++) {
		const void *function = pointer_at(ops, kind->functions[i].place);

		if (!function && kind->functions[i].may_be_null)
			continue;
		if (!function || !mapped_code(function))
			return refuse(check, "its function %s is %s",
				      kind->functions[i].name,
				      function ? "not code of a loaded object"
					       : "missing (NULL)");
	}
	return kind->check ? kind->check(check) : 0;
}

/* ---- the object ---- */

static int check_identity(const struct check *check)
{
	const struct drupe_backend *object = &check->backend->object;
	enum slot slot = check->backend->slot;
	int r;

	if (object->kind < 1 || object->kind > N_SLOTS)
		return refuse(check, "its kind, %u, is unknown", object->kind);
	if (object->kind - 1 != (uint32_t)slot)
		return refuse(check, "it says that it is a %s, the file's name says %s",
			      slot_names[object->kind - 1], slot_names[slot]);
	r = check_text(check, "its name", object->name, TEXT_MAX);
	if (r == 0 && strcmp(object->name, check->name) != 0)
		r = refuse(check,
			   "it says that its name is \"%s\", the file's name says %s",
			   object->name, check->name);
	if (r == 0)
		r = check_text(check, "its version", object->version, TEXT_MAX);
	if (r == 0)
		r = check_text(check, "its summary", object->summary, TEXT_MAX);
	return r;
}

/* Only a scope that is a cgroup folder has no tool. */
static int check_tool(const struct check *check)
{
	const struct drupe_backend *object = &check->backend->object;
	int r;

	if (!object->tool) {
		if (object->kind == DRUPE_KIND_SCOPE && check->backend->scope.setup)
			return 0;
		return refuse(check, "it names no tool (NULL)");
	}
	r = check_text(check, "its tool", object->tool, PATH_TEXT_MAX);
	if (r == 0 && !value_path(object->tool))
		r = refuse(check,
			   "its tool, \"%s\", is not an absolute path without . and ..",
			   object->tool);
	return r;
}

int object_take(void *handle, const char *name, struct backend *backend,
		struct error *err)
{
	const struct check check = { backend->file, name, backend, err };
	const void *source = NULL;
	size_t room = 0;
	int r;

	r = find_symbol(&check, handle, &source, &room);
	if (r == 0)
		r = copy_object(&check, source, room);
	if (r == 0)
		r = check_identity(&check);
	if (r == 0)
		r = check_one_slot(&check);
	if (r == 0)
		r = copy_ops(&check);
	if (r == 0)
		r = check_tool(&check);
	if (r == 0)
		r = check_list(&check, "the list of the tool's features",
			       backend->object.tool_features);
	if (r == 0)
		r = check_options(&check);
	return r;
}
