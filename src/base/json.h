/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What all JSON of drupe's is made with. */
#ifndef DRUPE_JSON_H
#define DRUPE_JSON_H

#include <jansson.h>

#include "base/error.h"

/* TEXT as a JSON string; bytes that are not UTF-8 become U+FFFD. */
json_t *json_text(const char *text);

/* The same, null where TEXT is NULL or empty. */
json_t *json_text_or_null(const char *text);

/* A refusal, as it stands in a result (drupe(1)). */
json_t *refusal_json(const struct error *refusal);

#endif
