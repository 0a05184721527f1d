#!/bin/sh
# SPDX-License-Identifier: MIT
# Run commands in one session of drupe's sandbox, from a shell with jq:
#
#     client.sh [-p POLICY] [-u USER] WORKSPACE SCRIPT...
#
# Each SCRIPT is run by sh inside, one after the other, until one fails.
set -eu

drupe=${DRUPE:-drupe}
policy=''
user=''
while getopts p:u: option; do
	case $option in
	p) policy=$OPTARG ;;
	u) user=$OPTARG ;;
	*) exit 2 ;;
	esac
done
shift $((OPTIND - 1))
[ $# -ge 2 ] || {
	echo 'usage: client.sh [-p POLICY] [-u USER] WORKSPACE SCRIPT...' >&2
	exit 2
}

# The server is a child that reads what is written to descriptor 3, and answers on 4.
pipes=$(mktemp -d)
trap 'rm -rf "$pipes"' EXIT
mkfifo "$pipes/in" "$pipes/out"
"$drupe" serve ${policy:+-p "$policy"} ${user:+-u "$user"} <"$pipes/in" >"$pipes/out" &
server=$!
exec 3>"$pipes/in" 4<"$pipes/out"
rm -rf "$pipes"

# call METHOD PARAMS: the answer's result in $result.  One request at a time, so the next
# line is its answer.
id=0
call() {
	id=$((id + 1))
	jq -cn --arg method "$1" --argjson params "$2" --argjson id "$id" \
		'{jsonrpc: "2.0", $id, $method, $params}' >&3 || :
	IFS= read -r answer <&4 || {
		echo 'client.sh: the server ended' >&2
		exit 125
	}
	if printf '%s\n' "$answer" | jq -e .error >/dev/null; then
		printf '%s\n' "$answer" | jq -r '.error | .message, (.data.hint? // empty)' >&2
		exit 125
	fi
	result=$(printf '%s\n' "$answer" | jq -c .result)
}

# field FILTER: a value of the result
field() {
	printf '%s\n' "$result" | jq -r "$1"
}

call session.open "$(jq -cn --arg dir "$1" '{workspace: $dir}')"
session=$(field .session)
shift

status=0
for script; do
	call session.run "$(jq -cn --arg session "$session" --arg script "$script" \
		'{$session, argv: ["sh", "-c", $script]}')"
	printf '%s\n' "$result" | jq -j '.stdout.text // empty'
	printf '%s\n' "$result" | jq -j '.stderr.text // empty' >&2
	case $(field .status) in
	exited) status=$(field .exit_code) ;;
	refused)
		field '.refusal | .message, .hint // empty' >&2
		status=125
		;;
	*)
		echo "client.sh: $(field .status)" >&2
		status=124
		;;
	esac
	[ "$status" -eq 0 ] || break
done

call session.close "$(jq -cn --arg session "$session" '{$session}')"
exec 3>&-
wait "$server"
exit "$status"
