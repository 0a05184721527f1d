# SPDX-License-Identifier: LGPL-2.1-or-later
# Flags of drupe's own build, each probed before it is used.

# DRUPE_TRY_FLAG(VARIABLE, FLAG, [compile|link])
AC_DEFUN([DRUPE_TRY_FLAG], [
	AS_VAR_PUSHDEF([cache], [drupe_cv_flag_$2])
	AC_CACHE_CHECK([whether the compiler takes $2], [cache], [
		drupe_save_CFLAGS=$CFLAGS
		drupe_save_LDFLAGS=$LDFLAGS
		m4_if([$3], [link], [LDFLAGS="$LDFLAGS $2"], [CFLAGS="$CFLAGS -Werror $2"])
		m4_if([$3], [link],
			[AC_LINK_IFELSE([AC_LANG_PROGRAM], [AS_VAR_SET([cache], [yes])],
				[AS_VAR_SET([cache], [no])])],
			[AC_COMPILE_IFELSE([AC_LANG_PROGRAM], [AS_VAR_SET([cache], [yes])],
				[AS_VAR_SET([cache], [no])])])
		CFLAGS=$drupe_save_CFLAGS
		LDFLAGS=$drupe_save_LDFLAGS
	])
	AS_VAR_IF([cache], [yes], [$1="$$1 $2"])
	AS_VAR_POPDEF([cache])
])

AC_DEFUN([DRUPE_WARNINGS], [
	WARN_CFLAGS=
	m4_foreach_w([flag], [-Wall -Wextra -Wshadow -Wpointer-arith -Wcast-align -Wcast-qual
		-Wwrite-strings -Wmissing-prototypes -Wstrict-prototypes -Wundef -Wvla
		-Wformat=2 -Wimplicit-fallthrough -Wlogical-op -Wduplicated-cond],
		[DRUPE_TRY_FLAG([WARN_CFLAGS], flag, [compile])])
	AS_IF([test "$enable_werror" = yes], [WARN_CFLAGS="$WARN_CFLAGS -Werror"])
	AC_SUBST([WARN_CFLAGS])
])

AC_DEFUN([DRUPE_HARDENING], [
	HARDEN_CFLAGS=
	HARDEN_LDFLAGS=
	AS_IF([test "$enable_sanitizers" = yes], [
		HARDEN_CFLAGS="-fsanitize=address,undefined -fno-sanitize-recover=all -fno-omit-frame-pointer"
		HARDEN_LDFLAGS="-fsanitize=address,undefined"
	], [
		DRUPE_TRY_FLAG([HARDEN_CFLAGS], [-fstack-protector-strong], [compile])
		DRUPE_TRY_FLAG([HARDEN_CFLAGS], [-fstack-clash-protection], [compile])
		DRUPE_TRY_FLAG([HARDEN_CFLAGS], [-fcf-protection], [compile])
		AS_CASE([$CFLAGS$CPPFLAGS], [*_FORTIFY_SOURCE*], [],
			[*-O0*], [],
			[*-O*], [HARDEN_CFLAGS="$HARDEN_CFLAGS -D_FORTIFY_SOURCE=2"])
	])
	DRUPE_TRY_FLAG([HARDEN_LDFLAGS], [-Wl,-z,relro], [link])
	DRUPE_TRY_FLAG([HARDEN_LDFLAGS], [-Wl,-z,now], [link])
	DRUPE_TRY_FLAG([HARDEN_LDFLAGS], [-Wl,--as-needed], [link])
	PIE_CFLAGS=
	PIE_LDFLAGS=
	DRUPE_TRY_FLAG([PIE_CFLAGS], [-fPIE], [compile])
	DRUPE_TRY_FLAG([PIE_LDFLAGS], [-pie], [link])
	AC_SUBST([HARDEN_CFLAGS])
	AC_SUBST([HARDEN_LDFLAGS])
	AC_SUBST([PIE_CFLAGS])
	AC_SUBST([PIE_LDFLAGS])
])

# The guard is started for every run: a program that is static with musl starts in a
# quarter of the time of one that is static with glibc, and that in two thirds of the time
# of a dynamic one.  The best that there is, unless --without-musl; no sanitizer in musl.
AC_DEFUN([DRUPE_STATIC_GUARD], [
	AC_ARG_WITH([musl],
		[AS_HELP_STRING([--without-musl], [do not build drupe-guard with musl-gcc, where it is there])],
		[], [with_musl=check])
	AC_CHECK_PROGS([MUSL_CC], [musl-gcc])
	MUSL_CPPFLAGS=
	have_musl=no
	AS_IF([test "$with_musl" != no && test "$enable_sanitizers" != yes && test -n "$MUSL_CC"], [
		dnl The kernel's headers, which musl has none of: where the compiler has them.
		for header in linux/keyctl.h asm/unistd.h; do
			dir=`echo "#include <$header>" | $CC -E - 2>/dev/null |
				$SED -n "s|^# 1 \"\(.*\)/$header\".*|\1|p"`
			MUSL_CPPFLAGS="$MUSL_CPPFLAGS -idirafter $dir"
		done
		AC_MSG_CHECKING([whether $MUSL_CC makes static programs])
		drupe_save_CC=$CC
		drupe_save_CPPFLAGS=$CPPFLAGS
		drupe_save_LDFLAGS=$LDFLAGS
		CC=$MUSL_CC
		CPPFLAGS=$MUSL_CPPFLAGS
		LDFLAGS=-static
		AC_LINK_IFELSE([AC_LANG_PROGRAM([[
			#include <linux/keyctl.h>
			#include <linux/rtnetlink.h>
			#include <sys/signalfd.h>
			#include <sys/syscall.h>
		]], [[return SYS_renameat2 + KEYCTL_JOIN_SESSION_KEYRING + signalfd(-1, 0, 0);]])],
			[have_musl=yes])
		CC=$drupe_save_CC
		CPPFLAGS=$drupe_save_CPPFLAGS
		LDFLAGS=$drupe_save_LDFLAGS
		AC_MSG_RESULT([$have_musl])
	])
	AS_IF([test "$with_musl" = yes && test "$have_musl" = no],
		[AC_MSG_ERROR([--with-musl: there is no musl-gcc that works])])
	AM_CONDITIONAL([MUSL], [test "$have_musl" = yes])
	AC_SUBST([MUSL_CPPFLAGS])
	GUARD_LDFLAGS=
	AS_IF([test "$enable_sanitizers" = yes], [GUARD_LDFLAGS="$PIE_LDFLAGS"], [
		DRUPE_TRY_FLAG([GUARD_LDFLAGS], [-static], [link])
		dnl libtool keeps -static for itself and knows this as -all-static.
		AS_IF([test -n "$GUARD_LDFLAGS"], [GUARD_LDFLAGS=-all-static],
			[GUARD_LDFLAGS=$PIE_LDFLAGS])
	])
	AC_SUBST([GUARD_LDFLAGS])
])
