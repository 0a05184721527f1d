/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "view/grant.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

int grant_check(const struct policy *policy, const struct profile *profile,
		const struct request *request, uint64_t *ret_timeout_ms,
		bool *ret_network, struct error *err)
{
	const char *name = profile->name;
	bool network;

	if (request->timeout_ms > profile->timeout_max_ms) {
		error_set(err, ERROR_NOT_GRANTED, EPERM,
			  "a timeout of %g s is beyond timeout_max of profile %s, %g s",
			  (double)request->timeout_ms / 1000, name,
			  (double)profile->timeout_max_ms / 1000);
		error_hint(err, "ask for less, or raise timeout_max in the policy");
		return -EPERM;
	}
	if (request->network == ASK_YES && profile->network == NETWORK_NEVER) {
		error_set(err, ERROR_NETWORK_DENIED, EPERM,
			  "profile %s never grants the network", name);
		error_hint(err, "leave --network out, or say `network: on-request` in "
				"the profile");
		return -EPERM;
	}
	network = request->network == ASK_YES ||
		  (profile->network == NETWORK_ALWAYS && request->network != ASK_NO);
	if (network && policy->mode == MODE_SAFE) {
		error_set(err, ERROR_NETWORK_DENIED, EPERM,
			  "mode safe never grants the network");
		error_hint(err, "leave --network out, or change `mode` in the policy");
		return -EPERM;
	}
	if (network && policy->mode == MODE_ASK && !request->confirmed) {
		error_set(err, ERROR_NETWORK_DENIED, EAGAIN,
			  "mode ask: nobody confirmed the network for this command");
		error_hint(err, "leave --network out, or have the command confirmed");
		return -EAGAIN;
	}
	*ret_timeout_ms = request->timeout_ms ? request->timeout_ms : profile->timeout_ms;
	*ret_network = network;
	return 0;
}

static int gather_reads(struct grant *grant, const struct policy *policy,
			const struct profile *profile, const struct request *request,
			struct error *err)
{
	if (request->n_reads == 0)
		return 0;
	grant->reads = calloc(request->n_reads, sizeof(*grant->reads));
	if (!grant->reads)
		return error_set(err, ERROR_SYSTEM, ENOMEM, "out of memory");
	for (size_t i = 0; i < request->n_reads; i++) {
		struct shown *read = &grant->reads[grant->n_reads++];
		int r;

		read->place.fd = -1;
		r = place_open_read(request->reads[i], &profile->host_read,
				    policy->tmp_root, &read->place, &read->dest, err);
		if (r < 0)
			return r;
	}
	qsort(grant->reads, grant->n_reads, sizeof(*grant->reads), shown_by_dest);
	return 0;
}

/* Where distributions keep the one file with all CA certificates. */
static const char *const ca_bundles[] = {
	"/etc/ssl/certs/ca-certificates.crt",		     /* Debian, Arch */
	"/etc/pki/tls/certs/ca-bundle.crt",		     /* Fedora */
	"/etc/pki/ca-trust/extracted/pem/tls-ca-bundle.pem", /* Fedora, target of a link
							      */
	"/etc/ssl/ca-bundle.pem",			     /* SUSE */
	"/var/lib/ca-certificates/ca-bundle.pem",	     /* SUSE, target of a link */
	"/etc/ssl/cert.pem",				     /* Alpine */
};

/* The file that the links lead to, never the folder: that may contain keys too.
 * Without such a file on the host, runs with network have no TLS roots. */
static int gather_ca(struct grant *grant, const char *dest, struct error *err)
{
	for (size_t i = 0; i < sizeof(ca_bundles) / sizeof(ca_bundles[0]); i++) {
		struct place place = PLACE_NONE;

		if (place_open(ca_bundles[i], false, ERROR_MOUNT_REFUSED, &place, NULL) <
		    0)
			continue;
		if (!S_ISREG(place.st.st_mode)) {
			place_close(&place);
			continue;
		}
		grant->ca.place = place;
		grant->ca.dest = strdup(dest);
		return grant->ca.dest
			       ? 0
			       : error_set(err, ERROR_SYSTEM, ENOMEM, "out of memory");
	}
	return 0;
}

static int gather_bundle(struct grant *grant, struct error *err)
{
	int r = 0;

	for (size_t i = 0; r == 0 && i < grant->n_files; i++)
		if (!grant->files[i].text && !grant->ca.dest)
			r = gather_ca(grant, grant->files[i].dest, err);
	return r;
}

int grant_gather(const struct policy *policy, const struct profile *profile,
		 const struct request *request, struct grant *grant, struct error *err)
{
	int r = gather_bundle(grant, err);

	return r < 0 ? r : gather_reads(grant, policy, profile, request, err);
}

void resolver_files_free(struct resolver_file *files, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		free(files[i].dest);
		free(files[i].text);
	}
	free(files);
}

void grant_free(struct grant *grant)
{
	resolver_files_free(grant->files, grant->n_files);
	shown_free(&grant->ca);
	for (size_t i = 0; i < grant->n_reads; i++)
		shown_free(&grant->reads[i]);
	free(grant->reads);
	*grant = (struct grant)GRANT_NONE;
}
