# SPDX-License-Identifier: MIT
# drupe.m4 - for backends of drupe that are built outside its tree
#
# DRUPE_BACKEND([ABI = 1])
#
# Finds drupe by pkg-config and stops configure where it is missing or speaks
# another ABI.  Sets, and substitutes:
#
#   DRUPE_CFLAGS           where <drupe/backend.h> is
#   DRUPE_BACKEND_LDFLAGS  for libtool: a module that exports the one symbol and
#                          leaves none undefined
#   BACKENDDIR             where drupe looks for backends, for use with
#                          "backenddir = $(BACKENDDIR)"; --with-backenddir changes it
#
# No library is linked: what a backend needs of drupe it is handed when called.

# serial 1

AC_DEFUN([DRUPE_BACKEND], [
	AC_REQUIRE([PKG_PROG_PKG_CONFIG])
	AC_ARG_VAR([DRUPE_CFLAGS], [C compiler flags for drupe, overriding pkg-config])
	m4_pushdef([drupe_abi], m4_default([$1], [1]))

	AC_MSG_CHECKING([for drupe with backend ABI drupe_abi])
	AS_IF([drupe_found_abi=`"$PKG_CONFIG" --variable=abi drupe 2>/dev/null` &&
			test -n "$drupe_found_abi"], [],
		[AC_MSG_RESULT([no])
		AC_MSG_ERROR([drupe is missing: install its development package, or set PKG_CONFIG_PATH to the folder of drupe.pc])])
	AC_MSG_RESULT([$drupe_found_abi])
	AS_IF([test "$drupe_found_abi" = drupe_abi], [],
		[AC_MSG_ERROR([this backend is written for ABI drupe_abi of drupe, but the drupe here speaks $drupe_found_abi])])

	AS_IF([test -z "$DRUPE_CFLAGS"],
		[DRUPE_CFLAGS=`"$PKG_CONFIG" --cflags drupe`])

	AC_ARG_WITH([backenddir],
		[AS_HELP_STRING([--with-backenddir=DIR],
			[where to install the backend [where drupe looks]])],
		[BACKENDDIR=$withval],
		[BACKENDDIR=`"$PKG_CONFIG" --variable=backenddir drupe`])
	AS_CASE([$BACKENDDIR], [/*|'$'*], [],
		[AC_MSG_ERROR([the folder of backends, "$BACKENDDIR", is not an absolute path])])

	DRUPE_BACKEND_LDFLAGS='-module -avoid-version -shared -Wl,-z,defs -export-symbols-regex ^drupe_backend_v1$$'
	AC_SUBST([DRUPE_CFLAGS])
	AC_SUBST([DRUPE_BACKEND_LDFLAGS])
	AC_SUBST([BACKENDDIR])
	m4_popdef([drupe_abi])
])
