/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* /proc/PID/status of the child: no privilege left, the right user, a PID namespace. */
#include <stdlib.h>
#include <string.h>

#include "base/procfile.h"
#include "verify/checks.h"

/* Whether every group of this line is OWN or one of MORE. */
static bool has_only(const char *line, gid_t own, const gid_t *more, size_t n)
{
	char *end;

	if (!line)
		return false;
	for (;; line = end) {
		bool known;
		gid_t group;

		line += strspn(line, " \t");
		if (*line == '\n')
			return true;
		group = (gid_t)strtoul(line, &end, 10);
		known = group == own;
		for (size_t i = 0; i < n && !known; i++)
			known = group == more[i];
		if (!known || end == line)
			return false;
	}
}

/* Where drupe switched to another user (R14): that user's groups, and none of ours. */
static bool has_other_groups(const char *status, const struct identity *identity)
{
	return identity->drop &&
	       (!has_only(procfile_field(status, "Gid"), identity->gid, NULL, 0) ||
		!has_only(procfile_field(status, "Groups"), identity->gid,
			  identity->groups, identity->n_groups));
}

int verify_status(const struct held *held, const struct verify_input *input,
		  struct error *err)
{
	static const char *const sets[] = { "CapInh", "CapPrm", "CapEff", "CapAmb" };
	unsigned ids[4] = { 0 };
	const char *value;
	char text[8192];
	int outer, inner, r = verify_read_status(held, text, sizeof(text), err);

	if (r < 0)
		return r;
	for (size_t i = 0; i < sizeof(sets) / sizeof(sets[0]); i++)
		if (procfile_number(text, sets[i], 16) != 0)
			return verify_bad_privilege(err, "has capabilities left");
	if (procfile_number(text, "NoNewPrivs", 10) != 1)
		return verify_bad_privilege(
			err, "could gain privileges (NoNewPrivs is not set)");
	value = procfile_field(text, "Uid");
	if (!value ||
	    sscanf(value, "%u %u %u %u", &ids[0], &ids[1], &ids[2], &ids[3]) != 4)
		return verify_bad_privilege(err, "has no user ids to read");
	for (size_t i = 0; i < 4; i++)
		if (ids[i] != input->identity->uid)
			return verify_bad_privilege(err, "runs as another user");
	if (has_other_groups(text, input->identity))
		return verify_bad_privilege(err, "has groups that are not its user's");
	value = procfile_field(text, "NSpid");
	if (!value || sscanf(value, "%d %d", &outer, &inner) != 2 ||
	    outer != held->child || inner != 1)
		return verify_bad_child(err, 0,
					"is not the init of a PID namespace of its own");
	return 0;
}
