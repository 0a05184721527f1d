#!/bin/sh
# SPDX-License-Identifier: LGPL-2.1-or-later
# Build every backend that the tests load: build.sh TESTS-DIR SRC-DIR OUT-DIR CC...
# One compiler call each, without libtool: what counts is that each is spoilt in the
# one way that its line says.
set -e
tests=$1 src=$2 out=$3
shift 3
umask 022
rm -rf "$out"
mkdir -p "$out"

so() { # SOURCE OUTPUT FLAGS...
	source=$1 output=$2
	shift 2
	"$@" -w -O1 -fPIC -shared -Wl,-z,lazy -I"$src" -o "$out/$output" "$source"
}
rlimits() { # NAME SPOILING-FLAGS... ; the name is the file's unless the flags say other
	name=$1
	shift
	case " $* " in *-DNAME=*) ;; *) set -- "$@" "-DNAME=\"$name\"" ;; esac
	so "$tests/bad-plugins/bad-rlimits.c" "rlimits-$name.so" $compiler "$@"
}
launcher() {
	name=$1
	shift
	so "$tests/bad-plugins/bad-launcher.c" "launcher-$name.so" $compiler "$@" \
		"-DNAME=\"$name\""
}
compiler=$*

rlimits good
rlimits no-symbol -DNO_SYMBOL
rlimits replaced -DREPLACED '-DNAME="x"'
rlimits undefined -DUNDEFINED
rlimits function -DFUNCTION
rlimits tiny -DTINY
rlimits abi-0 -DABI=0
rlimits abi-2 -DABI=2
rlimits abi-max -DABI=2147483647
rlimits wrong-kind -DKIND=DRUPE_KIND_LAUNCHER
rlimits unknown-kind -DKIND=9
rlimits kind-0 -DKIND=0
rlimits wrong-name '-DNAME="other"'
rlimits null-name -DNAME=NULL
rlimits long-name -DNAME=long_text
rlimits wild-name '-DNAME=WILD(const char*)'
rlimits control-name '-DNAME="a\001"'
rlimits latin-name '-DNAME="a\344"'
rlimits short -DSIZE=32
rlimits size-0 -DSIZE=0
rlimits lying-size -DSIZE=65536
rlimits null-function -DWORDS=NULL
rlimits data-function '-DWORDS=((void*)long_text)'
rlimits two-slots -DTWO_SLOTS
rlimits no-ops -DOPS=NULL
rlimits wild-ops '-DOPS=WILD(void*)'
rlimits short-ops -DOPS_SIZE=8
rlimits lying-ops -DOPS_SIZE=1048576
rlimits option-null '-DOPTIONS={NULL,DRUPE_OPTION_BOOL,0,0,NULL,"help"}'
rlimits option-key '-DOPTIONS={"Bad-Key",DRUPE_OPTION_BOOL,0,0,NULL,"help"}'
rlimits option-twice '-DOPTIONS={"number",DRUPE_OPTION_BOOL,0,0,NULL,"help"}'
rlimits option-type '-DOPTIONS={"x",99,0,0,NULL,"help"}'
rlimits option-range '-DOPTIONS={"x",DRUPE_OPTION_COUNT,9,1,NULL,"help"}'
rlimits option-words '-DOPTIONS={"x",DRUPE_OPTION_WORD,0,0,NULL,"help"}'
rlimits option-help '-DOPTIONS={"x",DRUPE_OPTION_BOOL,0,0,NULL,NULL}'
rlimits option-stride -DOPTION_SIZE=4
rlimits option-none -DOPTION_TABLE=NULL
rlimits option-many -DN_OPTIONS=257
rlimits option-wild '-DOPTION_TABLE=WILD(void*)'
rlimits wild-features '-DFEATURES=WILD(void*)'
rlimits tool-null -DTOOL=NULL
rlimits tool-relative '-DTOOL="prlimit"'
rlimits tool-dots '-DTOOL="/usr/bin/../bin/prlimit"'
rlimits tool-missing '-DTOOL="/usr/bin/drupe-no-such-tool"'
rlimits tool-folder '-DTOOL="/usr/bin"'
rlimits tool-device '-DTOOL="/dev/null"'
rlimits tool-setuid '-DTOOL="/usr/bin/su"'
rlimits tool-place '-DTOOL="/bin/prlimit"'
launcher good
launcher guarantee-missing -DLAST=
launcher guarantee-null '-DLAST={DRUPE_DROP_CAPABILITIES,NULL}'
launcher guarantee-unknown '-DLAST={77,"--x"}'

network() {
	name=$1
	shift
	so "$tests/bad-plugins/bad-network.c" "network-$name.so" $compiler "$@" \
		"-DNAME=\"$name\""
}
network good
network ready -DREADY=7
network stop -DSTOP=7
network wild-probe '-DPROBE=(const void*)0x1000'
network wild-needs '-DNEEDS=(const void*)0x1000'
network no-probe -DPROBE=NULL
network no-message -DMESSAGE=NULL
network wild-message '-DMESSAGE=(const char*)0x1000'

# What it is linked with is gone.
so "$tests/bad-plugins/bad-rlimits.c" libdrupe-gone.so $compiler -Wl,-soname,libdrupe-gone.so \
	'-DNAME="needs-library"' -DNO_SYMBOL
rlimits needs-library -Wl,--no-as-needed "$out/libdrupe-gone.so"
rm "$out/libdrupe-gone.so"

# It has no object of its own, but a library that it is linked with has one.
so "$tests/bad-plugins/bad-rlimits.c" libdrupe-lender.so $compiler \
	-Wl,-soname,libdrupe-lender.so '-DNAME="borrowed"'
rlimits borrowed -DNO_SYMBOL -Wl,--no-as-needed "$out/libdrupe-lender.so" \
	'-Wl,-rpath,$ORIGIN'

# Built against the header as it was released: these must load for ever.
frozen() {
	name=$1
	shift
	so "$tests/abi/$name.c" "$name.so" $compiler -I"$tests/abi" "$@"
}
frozen rlimits-frozen
frozen launcher-frozen
frozen launcher-short
launcher exits -DEXITS
