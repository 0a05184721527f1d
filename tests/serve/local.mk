# SPDX-License-Identifier: LGPL-2.1-or-later
# The library and the server, by clients that share no code with them.

serve_tests = \
	%D%/clients.test \
	%D%/lib.test \
	%D%/mcp.test \
	%D%/memory.test \
	%D%/protocol.test \
	%D%/result.test \
	%D%/sessions.test \
	%D%/slow.test \
	%D%/transcript.test
TESTS += $(serve_tests)
EXTRA_DIST += $(serve_tests) %D%/serve.sh tests/faults/no-line.c \
	%D%/as-root.py %D%/mcp.py %D%/memory.py %D%/protocol.py %D%/results.py %D%/rpc.py \
	%D%/schema.py %D%/sessions.py %D%/slow.py %D%/transcript.py

check_PROGRAMS += %D%/lib-test
%C%_lib_test_SOURCES = %D%/lib-test.c
%C%_lib_test_CPPFLAGS = -I$(builddir)/src/include
%C%_lib_test_CFLAGS = $(AM_CFLAGS) -pthread
%C%_lib_test_LDFLAGS = $(AM_LDFLAGS) -pthread
%C%_lib_test_LDADD = libdrupe.la $(JANSSON_LIBS)
