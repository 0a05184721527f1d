/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "policy/sections.h"

const struct policy_section_info policy_sections[N_SECTIONS] = {
	[SECTION_TOP] = { "the top level", "[policy]", .first = "policy", .order = true },
	[SECTION_BACKENDS] = { "backends", "[backends]", .first = "backends",
			       .order = true },
	[SECTION_OPTIONS] = { "options", "[options BACKEND]", .free_names = true,
			      .each = SECTION_OPTION },
	[SECTION_OPTION] = { "the options of a backend", "[options BACKEND]",
			     .first = "options", .names = SECTION_OPTIONS,
			     .free_names = true },
	[SECTION_PROFILES] = { "profiles", "[profile NAME]", .free_names = true,
			       .each = SECTION_PROFILE },
	[SECTION_PROFILE] = { "a profile", "[profile NAME]", .first = "profile",
			      .names = SECTION_PROFILES, .in_profile = true,
			      .order = true },
	[SECTION_LIMITS] = { "limits", "[profile NAME limits]", .first = "profile",
			     .third = "limits", .names = SECTION_PROFILES,
			     .in_profile = true, .limits = true },
	[SECTION_CGROUP] = { "cgroup", "[profile NAME cgroup]", .first = "profile",
			     .third = "cgroup", .names = SECTION_PROFILES,
			     .in_profile = true, .limits = true },
	[SECTION_ENV] = { "env", "[profile NAME env]", .first = "profile", .third = "env",
			  .names = SECTION_PROFILES, .in_profile = true,
			  .free_names = true },
	[SECTION_CORPUS] = { "an element of corpora", "corpora = read:PATH",
			     .in_profile = true },
};

const char *policy_section_name(enum policy_section section, enum policy_format format)
{
	return format == POLICY_INI ? policy_sections[section].heading
				    : policy_sections[section].name;
}
