# SPDX-License-Identifier: LGPL-2.1-or-later
# Unit tests (cmocka, one process a file), integration tests (real tools, TAP), and
# programs that measure.  tests/README says how they are run and by whom.

TEST_EXTENSIONS = .test
TEST_LOG_DRIVER = env AM_TAP_AWK='$(AWK)' $(SHELL) $(top_srcdir)/build-aux/tap-driver.sh
AM_TEST_LOG_DRIVER_FLAGS = --comments
TEST_LOG_COMPILER = perl $(srcdir)/%D%/own-group.pl
AM_TESTS_ENVIRONMENT = exec </dev/null; \
	DRUPE='$(abs_builddir)/drupe' DRUPE_GUARD='$(abs_builddir)/drupe-guard' \
	BACKEND_DIR='$(abs_builddir)/plugins/.libs' \
	builddir='$(abs_builddir)' CC='$(CC)' NM='$(NM)' \
	ASAN_OPTIONS=detect_leaks=1:abort_on_error=0 UBSAN_OPTIONS=print_stacktrace=1; \
	export DRUPE DRUPE_GUARD BACKEND_DIR builddir CC NM ASAN_OPTIONS UBSAN_OPTIONS;

integration_tests = \
	%D%/integration/check.test \
	%D%/integration/exit.test \
	%D%/integration/faults.test \
	%D%/integration/kill.test \
	%D%/integration/kill-late.test \
	%D%/integration/kill-parts.test \
	%D%/integration/limits.test \
	%D%/integration/plan.test \
	%D%/integration/preflight.test \
	%D%/integration/process.test \
	%D%/integration/root.test \
	%D%/integration/scarce.test \
	%D%/integration/streams.test \
	%D%/integration/view.test

TESTS += $(integration_tests) %D%/layers.test
EXTRA_DIST += $(integration_tests) %D%/layers.test %D%/own-group.pl %D%/integration/lib.sh \
	%D%/faults/faults.sh \
	%D%/faults/disarm.c %D%/faults/disarm.h %D%/faults/fake-bwrap.c \
	%D%/faults/fill-keys.c %D%/faults/hostile.c %D%/faults/kill-at.c %D%/faults/kills.sh

include tests/local-network.mk
include tests/local-registry.mk
include tests/local-scope.mk
include tests/serve/local.mk
include tests/vm/local.mk
include tests/long.mk

if HAVE_CMOCKA
unit_tests = \
	%D%/unit/test-call \
	%D%/unit/test-capture \
	%D%/unit/test-chain \
	%D%/unit/test-claim \
	%D%/unit/test-gate \
	%D%/unit/test-grant \
	%D%/unit/test-guard \
	%D%/unit/test-json \
	%D%/unit/test-identity \
	%D%/unit/test-mountinfo \
	%D%/unit/test-options \
	%D%/unit/test-place \
	%D%/unit/test-plan \
	%D%/unit/test-policy \
	%D%/unit/test-policy-fixtures \
	%D%/unit/test-procfile \
	%D%/unit/test-reap \
	%D%/unit/test-rmtree \
	%D%/unit/test-spawn \
	%D%/unit/test-trust \
	%D%/unit/test-value \
	%D%/unit/test-verify
check_PROGRAMS += $(unit_tests)
TESTS += $(unit_tests)
LDADD = libdrupe-core.la $(CMOCKA_LIBS)
%C%_unit_test_call_SOURCES = %D%/unit/test-call.c
%C%_unit_test_capture_SOURCES = %D%/unit/test-capture.c
%C%_unit_test_chain_SOURCES = %D%/unit/test-chain.c
%C%_unit_test_claim_SOURCES = %D%/unit/test-claim.c
%C%_unit_test_claim_LDFLAGS = $(AM_LDFLAGS) -Wl,--wrap=flock
%C%_unit_test_gate_SOURCES = %D%/unit/test-gate.c
%C%_unit_test_grant_SOURCES = %D%/unit/test-grant.c
%C%_unit_test_guard_SOURCES = %D%/unit/test-guard.c
%C%_unit_test_json_SOURCES = %D%/unit/test-json.c src/serve/rpc.c
%C%_unit_test_identity_SOURCES = %D%/unit/test-identity.c
%C%_unit_test_mountinfo_SOURCES = %D%/unit/test-mountinfo.c
%C%_unit_test_options_SOURCES = %D%/unit/test-options.c src/cli/options.c
%C%_unit_test_place_SOURCES = %D%/unit/test-place.c
%C%_unit_test_plan_SOURCES = %D%/unit/test-plan.c
%C%_unit_test_policy_SOURCES = %D%/unit/test-policy.c
%C%_unit_test_policy_fixtures_SOURCES = %D%/unit/test-policy-fixtures.c
%C%_unit_test_procfile_SOURCES = %D%/unit/test-procfile.c
%C%_unit_test_reap_SOURCES = %D%/unit/test-reap.c
%C%_unit_test_rmtree_SOURCES = %D%/unit/test-rmtree.c
%C%_unit_test_spawn_SOURCES = %D%/unit/test-spawn.c
%C%_unit_test_trust_SOURCES = %D%/unit/test-trust.c
%C%_unit_test_value_SOURCES = %D%/unit/test-value.c
%C%_unit_test_verify_SOURCES = %D%/unit/test-verify.c
endif

EXTRA_DIST += %D%/fixtures %D%/fuzz/fuzz-policy.c %D%/mutate %D%/mutate.rows %D%/unit/fast-clock.h

# make bench, make race: measurements, never part of the tests.
EXTRA_PROGRAMS = bench-race bench-run
CLEANFILES += $(EXTRA_PROGRAMS)
bench_race_SOURCES = %D%/bench/bench-race.c %D%/bench/bare.c %D%/bench/bare.h
bench_race_CPPFLAGS = $(libdrupe_core_la_CPPFLAGS)
bench_race_LDADD = libdrupe-core.la
bench_race_LDFLAGS = $(AM_LDFLAGS) \
	-Wl,--wrap=run_join_network,--wrap=spawn_process,--wrap=gate_release
bench_run_SOURCES = %D%/bench/bench-run.c
bench_run_CPPFLAGS = $(libdrupe_core_la_CPPFLAGS)
bench_run_LDADD = libdrupe-core.la

.PHONY: bench race
bench: all bench-run
	./bench-run $(abs_top_builddir)/drupe

race: all bench-race
	./bench-race $(abs_top_builddir)/drupe
