# SPDX-License-Identifier: LGPL-2.1-or-later
"""Replay the transcript of drupe-serve(7).  transcript.py DRUPE PAGE

What the page shows must be what the server says, but times, the names of sessions, the
policy, the version, and the workspace, which is /srv/build/1 in the page.
"""
import json
import os
import sys

from rpc import Gone, Server, done, equal, is_int, note, ok

DRUPE, PAGE = sys.argv[1:]
CONF, WS = os.environ["CONF"], os.environ["WS"]


def messages(page):
    """(arrow, message) as the page has them."""
    found = []
    inside = False
    with open(page, encoding="utf-8") as file:
        for line in file:
            line = line.rstrip("\n")
            if line.startswith('.\\" BEGIN TRANSCRIPT'):
                inside = True
            elif line.startswith('.\\" END TRANSCRIPT'):
                return found
            elif inside and not line.startswith("."):
                line = line.replace("\\-", "-").replace("\\(aq", "'").replace("\\(rs", "\\")
                if line.startswith(("-> ", "<- ")):
                    found.append([line[:2], line[3:]])
                else:
                    found[-1][1] += " " + line.strip()
    raise SystemExit(f"{page}: no transcript")


def load(text):
    # ", ...}" stands for more members
    return json.loads(text.replace(", ...}", ', "...": 0}'))


def same(got, expected, names, where="$"):
    """What differs; NAMES are the sessions, as the page calls them."""
    if expected == "@VERSION@":
        return [] if isinstance(got, str) else [f"{where}: {got!r}"]
    if where.endswith(".wall_seconds"):
        return [] if isinstance(got, float) and got >= 0 else [f"{where}: {got!r}"]
    if where.endswith(".policy"):
        return [] if sorted(got) == sorted(expected) else [f"{where}: {got!r}"]
    if where.endswith(".session"):
        names[expected] = got
        return [] if isinstance(got, str) else [f"{where}: {got!r}"]
    if isinstance(expected, dict) and isinstance(got, dict):
        more = "..." in expected
        wrong = [f"{where}.{name}: too much" for name in got if name not in expected and not more]
        for name, value in expected.items():
            if name == "...":
                continue
            if name not in got:
                wrong.append(f"{where}.{name}: missing")
            else:
                wrong += same(got[name], value, names, f"{where}.{name}")
        return wrong
    if isinstance(expected, list) and isinstance(got, list) and len(got) == len(expected):
        return [w for i, v in enumerate(expected) for w in same(got[i], v, names, f"{where}[{i}]")]
    if isinstance(got, str) and isinstance(expected, str):
        got = got.replace(os.path.realpath(WS), "/srv/build/1")
    if got != expected or is_int(got) != is_int(expected):
        return [f"{where}: got {got!r}, the page has {expected!r}"]
    return []


server = Server(DRUPE, "-p", f"{CONF}/plain.yaml")
names, heard = {}, {}
conversation = messages(PAGE)
ok(len(conversation) > 10, f"the page has {len(conversation)} messages")
for arrow, text in conversation:
    try:
        message = load(text)
    except ValueError as error:
        ok(False, "a message of the page is JSON", error, text)
        continue
    if arrow == "->":
        params = message.get("params", {})
        if params.get("session") in names:
            params["session"] = names[params["session"]]
        if params.get("workspace") == "/srv/build/1":
            params["workspace"] = WS
        note(json.dumps(message)[:100])
        server.send(message)
        continue
    try:
        if "method" in message:
            # The n-th notification of a run; it was there before the answer.
            key = json.dumps(message["params"]["id"])
            n = heard[key] = heard.get(key, 0) + 1
            with server.changed:
                server.changed.wait_for(lambda: len(server.output[key]) >= n, 30)
            wrong = same(server.output[key][n - 1], message["params"], names, "$.params")
        else:
            wrong = same(server.answer(message["id"], 30), message, names)
    except (Gone, IndexError) as error:
        wrong = [error]
    ok(not wrong, text[:60], *wrong)
equal(server.end(), (0, []), "end of input")
ok(not any(server.answers.values()), "nothing else was answered", server.answers)
done()
