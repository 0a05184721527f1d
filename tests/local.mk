# SPDX-License-Identifier: LGPL-2.1-or-later
# Unit tests (cmocka), integration tests (real tools, TAP), programs that measure.

TEST_CPPFLAGS = $(libdrupe_core_la_CPPFLAGS) \
	-DTOP_SRCDIR='"$(abs_top_srcdir)"' -DTOP_BUILDDIR='"$(abs_top_builddir)"'
TEST_CFLAGS = $(AM_CFLAGS) $(CMOCKA_CFLAGS) $(YAML_CFLAGS) $(JANSSON_CFLAGS)

# make bench: paired timings, never part of the tests.
EXTRA_PROGRAMS = bench-run
CLEANFILES += $(EXTRA_PROGRAMS)
bench_run_SOURCES = %D%/bench/bench-run.c
bench_run_CPPFLAGS = $(TEST_CPPFLAGS)
bench_run_CFLAGS = $(TEST_CFLAGS)
bench_run_LDADD = libdrupe-core.la

.PHONY: bench
bench: all bench-run
	./bench-run $(abs_top_builddir)/drupe
