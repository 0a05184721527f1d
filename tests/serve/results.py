# SPDX-License-Identifier: LGPL-2.1-or-later
"""Every road gives the result object of drupe(1), as the schema of `drupe serve --mcp` has it.

results.py DRUPE TOOL.JSON STATUS...: the tool's file, and the statuses that the code knows.
"""
import json
import os
import signal
import subprocess
import sys

from rpc import Server, done, equal, ok, parse, processes, running, until
from schema import bad_schema, changed, loose, validate

DRUPE, TOOL, STATUSES = sys.argv[1], sys.argv[2], sys.argv[3:]
CONF, WS, MARK = os.environ["CONF"], os.environ["WS"], os.environ["MARK"]
PLAIN = f"{CONF}/plain.yaml"
ODD = os.fsencode(CONF) + b"/odd\xff"           # a policy and a folder of backends
BINARY = ["printf", r"\377\001"]
LONG = ["sh", "-c", "sleep 1000; :", MARK]

with open(TOOL, encoding="utf-8") as file:
    tool = json.load(file)
SCHEMA = tool["outputSchema"]
results = []                                    # all of them


def check(desc, result, status, **members):
    """RESULT is one of the schema, and has these."""
    equal(validate(result, SCHEMA), [], f"{desc}: of the schema")
    equal((result["status"], {n: result[n] for n in members}), (status, members), f"... {status}")
    results.append(result)
    return result


def run(*args, policy=PLAIN):
    """drupe run --json."""
    done_run = subprocess.run([DRUPE, "run", "--json", "-p", policy, "-w", WS, *args],
                              stdout=subprocess.PIPE, stderr=subprocess.PIPE, stdin=subprocess.DEVNULL)
    return parse(done_run.stdout)


def cancelled_run():
    child = subprocess.Popen([DRUPE, "run", "--json", "-p", PLAIN, "-w", WS, "--", *LONG],
                             stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
    until(lambda: running(MARK))
    child.send_signal(signal.SIGTERM)
    return parse(child.communicate()[0])


# ---- the schema ------------------------------------------------------------------------

equal(bad_schema(SCHEMA, "$"), [], "the schema is one")
equal(loose(SCHEMA), [], "... that takes no member more, and none less")
equal(sorted(SCHEMA["properties"]["status"]["enum"]), sorted(STATUSES), "... with the statuses of the code")
mcp = Server(DRUPE, "--mcp", "-p", PLAIN, "-w", WS, mcp=True)
equal(mcp.call("tools/list")["tools"], [tool], "tools/list has the file as it is")

# ---- drupe run --json ------------------------------------------------------------------

check("run", run("--", "true"), "exited", exit_code=0, refusal=None)
check("run, exit 3", run("--", "sh", "-c", "exit 3"), "exited", exit_code=3)
check("run, a signal", run("--", "sh", "-c", "kill -9 $$"), "exited", exit_code=137)
check("run, a timeout", run("-t", "300ms", "--", "sleep", "100"), "timed_out", exit_code=None)
check("run, cancelled", cancelled_run(), "cancelled", signal=15)
check("run, output that is no text", run("--", *BINARY), "exited")
check("run, a long output", run("--", "perl", "-e", "print 'x' x 30000"), "exited")
check("run, a mistake of the command line", run("--nonesuch", "--", "true"), "refused", policy=None)
check("run, no such policy", run("--", "true", policy=f"{CONF}/none.yaml"), "refused", policy=None)
check("run, more than is granted", run("--network", "--", "true"), "refused", exit_code=None)
odd = check("run, names that are no UTF-8", run("--", "true", b"a\xffb", policy=ODD + b".yaml"), "exited",
            command=["true", "a\ufffdb"])
ok(odd["policy"]["source"].endswith("/odd\ufffd.yaml"), "... the policy's too", odd["policy"])
bad = check("run, a folder that is no UTF-8", run("--backend-dir", ODD + b".none", "--", "true"), "refused")
ok("odd\ufffd.none" in bad["refusal"]["message"], "... the message has it", bad["refusal"])
slow = check("run, a time", run("--", "sleep", "0.1"), "exited")["wall_seconds"]
ok(0.1 <= slow and slow == round(slow, 6), "... in microseconds", slow)
ok(len(repr(slow)) <= 10, "... and no more digits", repr(slow))

# ---- session.run -----------------------------------------------------------------------

server = Server(DRUPE, "-p", ODD + b".yaml", "--backend-dir", ODD)
session = server.open(WS)
check("session.run", server.run(session, ["true"]), "exited", exit_code=0)
check("session.run, output that is no text", server.run(session, BINARY, stream=True), "exited")
check("session.run, a timeout", server.run(session, ["sleep", "100"], timeout="300ms"), "timed_out")
check("session.run, refused", server.run(session, ["true"], network=True), "refused")
asked = server.start(session, LONG)
until(lambda: running(MARK))
server.call("session.cancel", {"session": session, "id": asked})
check("session.run, cancelled", server.result(asked), "cancelled", exit_code=None)
backends = server.call("backends")
ok(backends["folder"].endswith("/odd\ufffd"), "backends: a folder that is no UTF-8", backends["folder"])
ok(any(b["file"] == backends["folder"] + "/launcher-bwrap.so" for b in backends["backends"]), "... its files")
preflight = server.call("preflight", {"workspace": WS})
ok(preflight["ok"] and preflight["checks"][0]["detail"].endswith("/odd\ufffd.yaml"),
   "preflight: a policy that is no UTF-8", preflight)
equal(server.end(), (0, []), "... a good end")

# ---- structuredContent -----------------------------------------------------------------


def call(client, command, **arguments):
    """tools/call; its text is the same as its data."""
    result = client.call("tools/call", {"name": "run", "arguments": {"command": command, **arguments}})
    equal(json.loads(result["content"][0]["text"]), result["structuredContent"], "the text is the data")
    return result["structuredContent"]


check("tools/call", call(mcp, ["true"]), "exited", exit_code=0)
check("tools/call, output that is no text", call(mcp, BINARY), "exited")
check("tools/call, a timeout", call(mcp, ["sleep", "100"], timeout="300ms"), "timed_out")
check("tools/call, refused", call(mcp, ["true"], network=True), "refused")
equal(mcp.end(), (0, []), "... a good end")
mcp = Server(DRUPE, "--mcp", "-p", PLAIN, "-w", os.fsencode(WS) + b"/none\xff", mcp=True)
lost = check("tools/call, no session", call(mcp, ["true"]), "refused", command=["true"])
ok("none\ufffd" in lost["refusal"]["message"], "... the message has a workspace that is no UTF-8", lost)
equal(mcp.end(), (0, []), "... a good end")

# ---- the check itself ------------------------------------------------------------------

taken = [f"{r['status']}, {what}" for r in results for what, other in changed(r) if not validate(other, SCHEMA)]
equal(taken, [], "no result passes with a member more or less")
ok(all(any(r["status"] == s for r in results) for s in ("exited", "timed_out", "cancelled", "refused")) and
   any("base64" in r["stdout"] for r in results) and any(r["stdout"]["truncated"] for r in results),
   "... and the results were of every kind")
equal(processes(MARK), [], "nothing is left")
done()
