# SPDX-License-Identifier: LGPL-2.1-or-later
# Compare the keys of drupe-policy(5) with the table: awk -f keys.awk PAGE TABLE, where
# PAGE has no escapes and TABLE has a line for each key: section, name, type, range,
# default, help, with tabs between.  Prints what is not the same.

# The words of a macro's line as they are printed: .BR and the like set them together.
function printed(line,    macro, glue, text, word)
{
	if (line !~ /^\./)
		return line
	if (line !~ / /)
		return ""
	macro = substr(line, 2, match(line, / /) - 2)
	line = substr(line, length(macro) + 3)
	glue = length(macro) == 1 ? " " : ""
	text = ""
	while (line != "") {
		if (line ~ /^"/) {
			match(line, /^"[^"]*"/)
			word = substr(line, 2, RLENGTH - 2)
		} else {
			match(line, /^[^ ]+/)
			word = substr(line, 1, RLENGTH)
		}
		line = substr(line, RLENGTH + 1)
		sub(/^ +/, "", line)
		text = text (text == "" ? "" : glue) word
	}
	return text
}

function wrong(what)
{
	print section " " name ": " what
}

# Whether TEXT goes on with PART, which ends there.
function begins(text, part)
{
	return substr(text, 1, length(part)) == part &&
		substr(text, length(part) + 1) !~ /^[A-Za-z0-9%]/
}

function check_range(text, type, range,    words, n, i)
{
	if (type == "word") {
		n = split(range, words, ", ")
		for (i = 1; i <= n; i++)
			if (text !~ ("(^|[^a-z-])" words[i] "([^a-z-]|$)"))
				wrong("the page lacks the word " words[i])
		range = ""
	}
	text = tolower(substr(text, 1, 1)) substr(text, 2)
	if (!begins(text, type (range == "" ? "" : ", " range)))
		wrong("the page does not begin with \"" type \
			(range == "" ? "" : ", " range) "\"")
}

function check_default(text, fallback,    said)
{
	said = ""
	if (match(text, /Default: /))
		said = substr(text, RSTART + RLENGTH)
	gsub(/ and /, " ", said)
	if (fallback == "" && said !~ /^(false\.|none\.)?$/)
		wrong("the page has a default, the table has none")
	else if (fallback != "" && !begins(said, fallback))
		wrong("the page lacks \"Default: " fallback "\"")
}

# What the page would have: the table says all but what takes more than one line.
function entry(type, range, fallback, help)
{
	print ".TP\n.B " name
	print type == "word" ? ".IR word :\n" range "." \
		: range == "" ? ".IR " type " ." : ".IR " type " ,\n" range "."
	print help
	print fallback == "" ? "No default." : "Default:\n.BR " fallback " ."
}

FNR == 1 { file++ }

file == 1 && /BEGIN KEYS/ { on = 1; next }
file == 1 && /END KEYS/ { on = 0 }
file == 1 && !on { next }
file == 1 && /^\.SS / {
	n_names = 0
	title = substr($0, 5)
	match(title, /\[.*\]/)
	section = substr(title, RSTART, RLENGTH)
	sub(/[:,].*/, "", title)
	titles[title] = section
	next
}
file == 1 && /^\.TP/ { is_name = 1; next }
file == 1 && is_name {
	is_name = 0
	n_names = split(printed($0), names, ", ")
	for (i = 1; i <= n_names; i++)
		page[section, names[i]] = ""
	next
}
file == 1 {
	for (i = 1; i <= n_names; i++)
		page[section, names[i]] = page[section, names[i]] \
			(page[section, names[i]] == "" ? "" : " ") printed($0)
}

file == 2 { split($0, field, "\t"); section = field[1]; name = field[2]; n_keys++ }
# A section of its own.
file == 2 && field[3] == "section" {
	if (!(name in titles))
		wrong("the page has no such section")
	next
}
# The parts of an element are described with the list.
file == 2 && section ~ /^corpora/ {
	if (page["[profile NAME]", "corpora"] !~ ("[^a-z]" name "[^a-z]"))
		wrong("the page lacks it")
	next
}
file == 2 {
	if (!((section, name) in page)) {
		wrong("the page lacks it; an entry for it:")
		entry(field[3], field[4], field[5], field[6])
		next
	}
	check_range(page[section, name], field[3], field[4])
	check_default(page[section, name], field[5])
	seen[section, name] = 1
}

END {
	if (n_keys == 0)
		print "no keys in the table"
	for (key in page)
		if (!(key in seen)) {
			split(key, field, SUBSEP)
			print field[1] " " field[2] ": the table has no such key"
		}
}
