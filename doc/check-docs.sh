#!/bin/sh
# SPDX-License-Identifier: LGPL-2.1-or-later
# The manual pages and completions say what the code says (TAP on stdout).
set -u

top=${srcdir:-.}
doc=$top/doc
tmp=$(mktemp -d) || exit 99
trap 'rm -rf "$tmp"' EXIT
number=0
failed=0

# result NAME: the test holds when $tmp/wrong is empty
result()
{
	number=$((number + 1))
	if [ -s "$tmp/wrong" ]; then
		failed=1
		sed 's/^/# /' "$tmp/wrong"
		echo "not ok $number - $1"
	else
		echo "ok $number - $1"
	fi
	: >"$tmp/wrong"
}

skip()
{
	number=$((number + 1))
	echo "ok $number - $1 # SKIP $2"
}

# Plain text of a page, without the escapes that matter here.
text()
{
	sed 's/\\-/-/g; s/\\f[BIR]//g; s/\\(aq/'\''/g; s/\\(rs/\\/g' "$doc/$1"
}

: >"$tmp/wrong"
if command -v mandoc >/dev/null; then
	mandoc -T lint -W warning "$doc"/*.[135] >"$tmp/wrong" 2>&1
	result 'mandoc finds nothing'
else
	skip 'mandoc finds nothing' 'no mandoc'
fi
if command -v groff >/dev/null; then
	for page in "$doc"/*.[135]; do
		groff -ww -man -Tutf8 "$page" 2>&1 >/dev/null | grep -v 'man.tmac' >>"$tmp/wrong"
	done
	result 'groff warns of nothing'
else
	skip 'groff warns of nothing' 'no groff'
fi

# Each code stands below the heading of its stage.
sed -n 's/^	X([A-Z_]*, \([A-Z]*\), "\([a-z-]*\)".*/\1 \2/p' "$top/src/error.h" |
	tr '[:upper:]' '[:lower:]' | sort >"$tmp/codes"
text drupe.1 | sed -n '/BEGIN CODES/,/END CODES/p' |
	sed -n 's/^\.SS Stage \(.*\)/stage \1/p; s/^\.B \([a-z]*-[a-z-]*\|usage\|order\|poisoned\)$/\1/p' |
	awk '$1 == "stage" { stage = $2; next } { print stage, $1 }' | sort >"$tmp/documented"
[ -s "$tmp/codes" ] || echo 'no codes found in error.h' >"$tmp/wrong"
diff "$tmp/codes" "$tmp/documented" >>"$tmp/wrong"
result 'drupe(1) has every refusal code'

# Each key of a backend's object and operations is explained.
text drupe-backend.3 >"$tmp/page"
sed -n '/^struct drupe_[a-z]*_ops {/,/^};/p; /^struct drupe_backend {/,/^};/p' \
	"$top/src/drupe-backend.h" |
	sed -n 's/^	[a-z].*(\*\([a-z_]*\))(.*/\1/p; s/^	[a-z].*[ *]\([a-z_]*\);.*/\1/p' | sort -u |
	while read -r field; do
		case $field in
		guarantee_size | n_guarantees) continue ;;
		esac
		grep -qw -- "$field" "$tmp/page" || echo "$field is missing"
	done >"$tmp/wrong"
result 'drupe-backend(3) has every field'

# The options that the code takes, in the page and in each completion.
if [ -f "$top/src/options.c" ]; then
	text drupe.1 >"$tmp/page"
	sed -n 's/^	{ "\([a-z-]*\)", .*FOR_.*/\1/p' "$top/src/options.c" >"$tmp/options"
	[ -s "$tmp/options" ] || echo 'no options found in options.c' >"$tmp/wrong"
	while read -r option; do
		grep -q -- "--$option\\b" "$tmp/page" || echo "--$option: not in drupe.1"
		grep -q -- "--$option\\b" "$top/completions/drupe" || echo "--$option: not in bash"
		grep -q -- "--$option\\b" "$top/completions/_drupe" || echo "--$option: not in zsh"
		grep -q -- "-l $option\\b" "$top/completions/drupe.fish" ||
			echo "--$option: not in fish"
	done <"$tmp/options" >>"$tmp/wrong"
	result 'every option is documented and completed'
fi

# The example backend is complete.
text drupe-backend.3 | sed -n '/BEGIN EXAMPLE/,/END EXAMPLE/p' | grep -v '^\.' >"$tmp/mini.c"
mkdir -p "$tmp/include/drupe"
cp "$top/src/drupe-backend.h" "$tmp/include/drupe/backend.h"
${CC:-cc} -std=gnu11 -Wall -Wextra -Werror -shared -fPIC -fvisibility=hidden -Wl,-z,defs \
	-I"$tmp/include" -o "$tmp/mini.so" "$tmp/mini.c" >"$tmp/wrong" 2>&1
result 'the example of drupe-backend(3) compiles'

# The example policies are valid, and mean the same.
if [ -x "${DRUPE:-}" ]; then
	text drupe-policy.5 | awk -v dir="$tmp" '
		/^\.SH/ { on = $2 == "EXAMPLES" }
		on && /^\.EX/ { file = dir "/example." (++n == 1 ? "yaml" : "ini"); next }
		/^\.EE/ { file = "" }
		file { print >file }'
	for file in "$tmp/example.yaml" "$tmp/example.ini"; do
		"$DRUPE" check "$file" >>"$tmp/out" 2>&1 || cat "$tmp/out" >>"$tmp/wrong"
	done
	result 'the examples of drupe-policy(5) are valid'
fi

echo "1..$number"
exit $failed
