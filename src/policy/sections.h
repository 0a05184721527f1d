/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The one table of sections: their names in both formats, and what they contain. */
#ifndef DRUPE_SECTIONS_H
#define DRUPE_SECTIONS_H

#include <stdbool.h>

#include "policy/policy.h"

enum policy_section {
	SECTION_TOP,	  /* [policy] */
	SECTION_BACKENDS, /* [backends] */
	SECTION_OPTIONS,  /* names of backends */
	SECTION_OPTION,	  /* [options NAME]: keys that the backend declares */
	SECTION_PROFILES, /* names of profiles */
	SECTION_PROFILE,  /* [profile NAME] */
	SECTION_LIMITS,	  /* [profile NAME limits] */
	SECTION_CGROUP,	  /* [profile NAME cgroup] */
	SECTION_ENV,	  /* [profile NAME env]: names of variables */
	SECTION_CORPUS,	  /* one element of corpora */
	N_SECTIONS
};

struct policy_section_info {
	const char *name;    /* the mapping of its keys in YAML: "limits" */
	const char *heading; /* and in INI: "[profile NAME limits]" */
	/* The words of that heading; `first` is NULL if INI has no such section. */
	const char *first, *third;
	enum policy_section names; /* what its second word names, or SECTION_TOP */
	enum policy_section each;  /* what each of its keys opens, or SECTION_TOP */
	bool free_names;	   /* its keys are not those of the table */
	bool in_profile;	   /* its values are of a profile, not of the policy */
	bool limits;		   /* a key that is left out sets no limit */
	bool order;		   /* where a user might try to set the order of layers */
};

extern const struct policy_section_info policy_sections[N_SECTIONS];

/* The name of SECTION as written in a file of that format. */
const char *policy_section_name(enum policy_section section, enum policy_format format);

#endif
