/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * YAML by libyaml's events: no tree is built, so aliases cannot multiply, and the
 * stream is read to its end, so nothing after the document goes unseen.
 */
#include "policy/yaml.h"

#include <errno.h>
#include <string.h>

#include <yaml.h>

#include "base/fd.h"
#include "policy/assign.h"
#include "policy/place.h"

/* The schema needs five.  libyaml's time is quadratic in the depth. */
#define DEPTH_MAX 8

struct yaml {
	yaml_parser_t parser;
	yaml_event_t event; /* the current one */
	struct policy_sink *sink;
	unsigned depth;
	bool stopped;
};

static struct location mark(yaml_mark_t mark)
{
	return (struct location){ (unsigned)mark.line + 1, (unsigned)mark.column + 1 };
}

static struct location here(const struct yaml *yaml)
{
	return mark(yaml->event.start_mark);
}

static void stop_at_error(struct yaml *yaml)
{
	const yaml_parser_t *parser = &yaml->parser;
	const char *problem = parser->problem ? parser->problem : "it cannot be read";
	struct location where = mark(parser->problem_mark);

	yaml->stopped = true;
	if (parser->error == YAML_MEMORY_ERROR) {
		policy_sink_exhausted(yaml->sink);
		return;
	}
	if (strstr(problem, "cannot start any token"))
		policy_sink_syntax(
			yaml->sink, where,
			"not YAML: no value begins with a tab, @, ` or %%; indent "
			"with blanks, quote the others");
	else if (parser->context &&
		 parser->context_mark.line != parser->problem_mark.line)
		policy_sink_syntax(yaml->sink, where, "not YAML: %s (%s of line %u)",
				   problem, parser->context,
				   (unsigned)parser->context_mark.line + 1);
	else
		policy_sink_syntax(yaml->sink, where, "not YAML: %s", problem);
}

/* Features that hide from a reader what the policy says. */
static void refuse_properties(struct yaml *yaml, const yaml_char_t *anchor,
			      const yaml_char_t *tag)
{
	if (anchor)
		policy_sink_find(
			yaml->sink, here(yaml),
			"anchors are not allowed; write the value where it is used");
	if (tag)
		policy_sink_find(yaml->sink, here(yaml),
				 "tags are not allowed; each key has its type");
}

static void enter_level(struct yaml *yaml)
{
	if (++yaml->depth <= DEPTH_MAX)
		return;
	policy_sink_syntax(yaml->sink, here(yaml),
			   "nested deeper than %d levels; no key of a policy is",
			   DEPTH_MAX);
	yaml->stopped = true;
}

static void look_at_event(struct yaml *yaml)
{
	yaml_event_t *event = &yaml->event;

	switch (event->type) {
	case YAML_DOCUMENT_START_EVENT:
		if (event->data.document_start.version_directive ||
		    event->data.document_start.tag_directives.start !=
			    event->data.document_start.tag_directives.end)
			policy_sink_find(
				yaml->sink, here(yaml),
				"directives are not allowed; leave the %% lines out");
		break;
	case YAML_ALIAS_EVENT:
		policy_sink_find(yaml->sink, here(yaml),
				 "aliases are not allowed; write the value out");
		break;
	case YAML_SCALAR_EVENT:
		refuse_properties(yaml, event->data.scalar.anchor,
				  event->data.scalar.tag);
		break;
	case YAML_SEQUENCE_START_EVENT:
		refuse_properties(yaml, event->data.sequence_start.anchor,
				  event->data.sequence_start.tag);
		enter_level(yaml);
		break;
	case YAML_MAPPING_START_EVENT:
		refuse_properties(yaml, event->data.mapping_start.anchor,
				  event->data.mapping_start.tag);
		enter_level(yaml);
		break;
	case YAML_SEQUENCE_END_EVENT:
	case YAML_MAPPING_END_EVENT:
		yaml->depth--;
		break;
	default:
		break;
	}
}

/* Go on to the next event; false when there is none. */
static bool next(struct yaml *yaml)
{
	if (yaml->stopped)
		return false;
	yaml_event_delete(&yaml->event);
	if (!yaml_parser_parse(&yaml->parser, &yaml->event)) {
		stop_at_error(yaml);
		return false;
	}
	look_at_event(yaml);
	return !yaml->stopped;
}

/* From the first event of a node to its last. */
static void skip_node(struct yaml *yaml)
{
	unsigned outside = yaml->depth - 1;

	if (yaml->event.type != YAML_SEQUENCE_START_EVENT &&
	    yaml->event.type != YAML_MAPPING_START_EVENT)
		return;
	while (yaml->depth > outside && next(yaml))
		;
}

static bool is_null(const yaml_event_t *event)
{
	static const char *const nulls[] = { "", "~", "null", "Null", "NULL" };

	if (event->data.scalar.style != YAML_PLAIN_SCALAR_STYLE)
		return false;
	for (size_t i = 0; i < sizeof(nulls) / sizeof(nulls[0]); i++)
		if (strcmp((const char *)event->data.scalar.value, nulls[i]) == 0)
			return true;
	return false;
}

static enum policy_shape shape(const yaml_event_t *event)
{
	switch (event->type) {
	case YAML_SCALAR_EVENT:
		return is_null(event) ? SHAPE_NULL : SHAPE_VALUE;
	case YAML_SEQUENCE_START_EVENT:
		return SHAPE_LIST;
	case YAML_MAPPING_START_EVENT:
		return SHAPE_MAPPING;
	default:
		return SHAPE_REFUSED;
	}
}

/* The current event's scalar, valid until the next event. */
static struct policy_scalar scalar(const struct yaml *yaml)
{
	return (struct policy_scalar){
		.text = (const char *)yaml->event.data.scalar.value,
		.length = yaml->event.data.scalar.length,
		.quoted = yaml->event.data.scalar.style != YAML_PLAIN_SCALAR_STYLE,
		.where = here(yaml),
	};
}

/* Take the current scalar out of its event; *RET_TEXT is the caller's to free. */
static bool take_scalar(struct yaml *yaml, char **ret_text, struct policy_scalar *ret)
{
	struct policy_scalar taken = scalar(yaml);
	char *copy = malloc(taken.length + 1);

	if (!copy) {
		policy_sink_exhausted(yaml->sink);
		yaml->stopped = true;
		return false;
	}
	memcpy(copy, taken.text, taken.length + 1);
	taken.text = copy;
	*ret_text = copy;
	*ret = taken;
	return true;
}

/*
 * Take the key that is the current event and go on to its value.  False with *RET_TEXT
 * NULL: there was no such key, and its value was skipped.
 */
static bool take_key(struct yaml *yaml, char **ret_text, struct policy_scalar *ret)
{
	if (yaml->event.type == YAML_SCALAR_EVENT)
		return take_scalar(yaml, ret_text, ret) && next(yaml);
	if (yaml->event.type != YAML_ALIAS_EVENT)
		policy_sink_find(yaml->sink, here(yaml),
				 "this key is not a word; write KEY: VALUE");
	skip_node(yaml);
	if (next(yaml))
		skip_node(yaml);
	return false;
}

static void walk_corpus(struct yaml *yaml, const struct policy_entry *corpora)
{
	const struct policy_place place = { SECTION_CORPUS, corpora->place.index };
	struct policy_scalar parts[2] = { 0 }; /* path, access */
	_cleanup_free_ char *path = NULL;
	_cleanup_free_ char *access = NULL;
	char **texts[2] = { &path, &access };
	struct location start = here(yaml);
	bool refused = false;

	while (next(yaml) && yaml->event.type != YAML_MAPPING_END_EVENT) {
		_cleanup_free_ char *text = NULL;
		struct policy_scalar name;
		struct policy_entry entry;
		size_t i;

		if (!take_key(yaml, &text, &name)) {
			refused = true;
			continue;
		}
		if (!policy_sink_key(yaml->sink, place, &name, shape(&yaml->event),
				     here(yaml), &entry)) {
			refused = true;
			skip_node(yaml);
			continue;
		}
		i = strcmp(entry.name, "path") == 0 ? 0 : 1;
		if (parts[i].text)
			policy_sink_find(yaml->sink, name.where,
					 "%s is given twice; write it once", entry.name);
		else if (!take_scalar(yaml, texts[i], &parts[i]))
			return;
	}
	if (yaml->stopped || refused)
		return;
	if (!parts[0].text || !parts[1].text)
		policy_sink_find(
			yaml->sink, start,
			"corpora: %s is missing; write {path: /srv/data, access: read}",
			parts[0].text ? "access" : "path");
	else
		policy_assign_corpus(yaml->sink, corpora, &parts[1], &parts[0]);
}

static void walk_element(struct yaml *yaml, const struct policy_entry *entry)
{
	bool corpora = entry->key->child == SECTION_CORPUS;
	struct policy_scalar value;

	switch (shape(&yaml->event)) {
	case SHAPE_VALUE:
		if (!corpora) {
			value = scalar(yaml);
			policy_assign_element(yaml->sink, entry, &value);
			return;
		}
		break;
	case SHAPE_MAPPING:
		if (corpora) {
			walk_corpus(yaml, entry);
			return;
		}
		break;
	case SHAPE_REFUSED:
		return;
	default:
		break;
	}
	policy_sink_find(yaml->sink, here(yaml), "%s: an element is %s", entry->name,
			 corpora ? "a mapping; write {path: /srv/data, access: read}"
				 : "one value; write [a, b]");
	skip_node(yaml);
}

static void walk_mapping(struct yaml *yaml, struct policy_place place);

static void walk_value(struct yaml *yaml, const struct policy_entry *entry)
{
	struct policy_scalar value;
	struct policy_place place;

	switch (shape(&yaml->event)) {
	case SHAPE_LIST:
		while (next(yaml) && yaml->event.type != YAML_SEQUENCE_END_EVENT)
			walk_element(yaml, entry);
		return;
	case SHAPE_MAPPING:
		if (policy_place_enter(yaml->sink, entry, &place))
			walk_mapping(yaml, place);
		else
			skip_node(yaml);
		return;
	default:
		value = scalar(yaml);
		policy_assign_value(yaml->sink, entry, &value);
	}
}

/* From the start of a mapping to its end; as deep as there are sections. */
static void walk_mapping(struct yaml *yaml, struct policy_place place)
{
	while (next(yaml) && yaml->event.type != YAML_MAPPING_END_EVENT) {
		_cleanup_free_ char *text = NULL;
		struct policy_scalar name;
		struct policy_entry entry;

		if (!take_key(yaml, &text, &name))
			continue;
		if (policy_sink_key(yaml->sink, place, &name, shape(&yaml->event),
				    here(yaml), &entry))
			walk_value(yaml, &entry);
		else
			skip_node(yaml);
	}
}

static void walk_root(struct yaml *yaml)
{
	const struct policy_place top = { SECTION_TOP, 0 };

	if (yaml->event.type == YAML_MAPPING_START_EVENT) {
		walk_mapping(yaml, top);
		return;
	}
	policy_sink_empty(yaml->sink, here(yaml),
			  "a mapping that begins with version: 1");
	skip_node(yaml);
}

/* Read on behind the document, to report the errors there too. */
static void walk_rest(struct yaml *yaml)
{
	bool reported = false;

	while (next(yaml) && yaml->event.type != YAML_STREAM_END_EVENT) {
		if (yaml->event.type == YAML_DOCUMENT_START_EVENT && !reported) {
			policy_sink_find(yaml->sink, here(yaml),
					 "a second document; a file holds one policy");
			reported = true;
		}
	}
}

static void walk_stream(struct yaml *yaml)
{
	if (!next(yaml) || !next(yaml)) /* the stream's start, the document's */
		return;
	if (yaml->event.type != YAML_DOCUMENT_START_EVENT) {
		policy_sink_empty(yaml->sink, (struct location){ 1, 1 },
				  "a mapping that begins with version: 1");
		return;
	}
	if (!next(yaml))
		return;
	walk_root(yaml);
	walk_rest(yaml);
}

int policy_yaml_parse(struct policy_sink *sink, const char *text, size_t length)
{
	struct yaml yaml = { .sink = sink };

	if (!yaml_parser_initialize(&yaml.parser))
		return -ENOMEM;
	/* Set, not detected: libyaml would accept UTF-16 too. */
	yaml_parser_set_encoding(&yaml.parser, YAML_UTF8_ENCODING);
	yaml_parser_set_input_string(&yaml.parser, (const unsigned char *)text, length);
	walk_stream(&yaml);
	yaml_event_delete(&yaml.event);
	yaml_parser_delete(&yaml.parser);
	return 0;
}
