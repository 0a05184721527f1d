# SPDX-License-Identifier: LGPL-2.1-or-later
"""The words of the server, one by one: drupe-serve(7).  protocol.py DRUPE [root]"""
import base64
import json
import os
import signal
import subprocess
import sys
import time

from rpc import (WAIT, Go, Gone, Refused, Server, done, equal, id_key, note, ok, processes, running, tmps,
                 until)

DRUPE = sys.argv[1]
CONF, WS, TMPROOT = os.environ["CONF"], os.environ["WS"], os.environ["TMPROOT"]
MARK = os.environ["MARK"]
PLAIN = f"{CONF}/plain.yaml"
MIB = 1048576

RESULT = {"drupe", "status", "exit_code", "signal", "refusal", "stdout", "stderr",
          "wall_seconds", "usage", "network", "network_failed", "scope", "profile", "policy",
          "command"}
REFUSAL = {"stage", "backend", "code", "message", "hint", "errno"}


def serve(policy="plain", *args, **more):
    return Server(DRUPE, "-p", f"{CONF}/{policy}.yaml", *args, **more)


def good_end(server, what):
    status, wrong = server.end()
    equal(status, 0, f"{what}: end of input, status 0")
    equal(wrong, [], f"{what}: nothing but good messages came")


def code_of(server, method, params=None):
    return server.error(method, params)[0]


# ---- envelopes -----------------------------------------------------------------------------

server = serve()
try:
    equal(server.call("initialize", {}), {"name": "drupe", "version": "0.1.0", "protocol": 1},
          "initialize")
except Gone as gone:
    ok(False, "initialize", gone)
    note(server.said())
    done()
equal(server.call("initialize")["protocol"], 1, "... without params, and again")

for desc, line in (
        ("not JSON", "hello"),
        ("half an object", '{"jsonrpc": "2.0", "id": 1, "method"'),
        ("two objects in a line", '{"jsonrpc":"2.0","id":1,"method":"initialize"} {}'),
        ("a trailing comma", '{"jsonrpc":"2.0","id":1,"method":"initialize",}'),
        ("single quotes", "{'jsonrpc':'2.0'}"),
        ("NaN", '{"jsonrpc":"2.0","id":NaN,"method":"initialize"}'),
        ("a bad escape", '{"jsonrpc":"2.0","id":"\\x","method":"initialize"}'),
        ("a lone surrogate", '{"jsonrpc":"2.0","id":"\\ud800","method":"initialize"}'),
        ("a NUL byte", b'{"jsonrpc":"2.0","id":1,"method":"init\0ialize"}'),
        ("bad UTF-8", b'{"jsonrpc":"2.0","id":"\xff","method":"initialize"}'),
        ("overlong UTF-8", b'{"jsonrpc":"2.0","id":"\xc0\xaf","method":"initialize"}'),
        ("UTF-8 that is cut off", b'{"jsonrpc":"2.0","id":"\xc3'),
        ("a surrogate in UTF-8", b'{"jsonrpc":"2.0","id":"\xed\xa0\x80","method":"x"}'),
        ("very deep", b"[" * 200000),
        ("a control byte in a string", b'{"jsonrpc":"2.0","id":"\x01","method":"initialize"}'),
        ("only blanks that are none", b"\x0b"),
):
    equal(server.error_of_line(line), -32700, f"no JSON: {desc}")

for desc, line in (
        ("a number", "1"), ("a string", '"x"'), ("null", "null"), ("true", "true"),
        ("an empty batch", "[]"),
        ("a batch", '[{"jsonrpc":"2.0","id":1,"method":"initialize"},'
                    '{"jsonrpc":"2.0","id":2,"method":"initialize"}]'),
        ("an id that is null", '{"jsonrpc":"2.0","id":null,"method":"initialize"}'),
        ("an id that is true", '{"jsonrpc":"2.0","id":true,"method":"initialize"}'),
        ("an id that is a list", '{"jsonrpc":"2.0","id":[1],"method":"initialize"}'),
        ("an id that is an object", '{"jsonrpc":"2.0","id":{},"method":"initialize"}'),
        ("an id with a fraction", '{"jsonrpc":"2.0","id":1.5,"method":"initialize"}'),
        ("an id that is too long", json.dumps({"jsonrpc": "2.0", "id": "x" * 257, "method": "initialize"})),
        ("an empty object", "{}"),
):
    equal(server.error_of_line(line), -32600, f"no request: {desc}")

# Those with a good id may be answered with it, or with null.
for desc, line in (
        ("no jsonrpc", '{"id":"x","method":"initialize"}'),
        ("another jsonrpc", '{"jsonrpc":"1.0","id":"x","method":"initialize"}'),
        ("jsonrpc as a number", '{"jsonrpc":2.0,"id":"x","method":"initialize"}'),
        ("no method", '{"jsonrpc":"2.0","id":"x"}'),
        ("a method that is a number", '{"jsonrpc":"2.0","id":"x","method":1}'),
        ("a method that is null", '{"jsonrpc":"2.0","id":"x","method":null}'),
):
    server.line(line)
    ok(until(lambda: server.answers['"x"'] or server.answers["null"]), f"no request: {desc}")
    for key in ('"x"', "null"):
        while server.answers[key]:
            equal(server.answers[key].popleft().get("error", {}).get("code"), -32600,
                  f"... {desc} is -32600")

before = len(server.order)
server.raw(b"\n\n\n")
ok(server.alive(), "empty lines are nothing")
equal(len(server.order), before + 1, "... and not answered")
server.raw(b'{"jsonrpc":"2.0","id":"crlf","method":"initialize"}\r\n')
ok(server.answer("crlf"), "a line that ends in CR LF")
server.raw(b'  {"jsonrpc" : "2.0",\t"id": "blanks", "method": "initialize"}  \n')
ok(server.answer("blanks"), "blanks around")
for piece in (b'{"jsonrpc":"2.0",', b'"id":"pieces","met', b'hod":"initialize"}', b"\n"):
    server.raw(piece)
    time.sleep(0.05)
ok(server.answer("pieces"), "a line in pieces")
server.raw(b"".join(b'{"jsonrpc":"2.0","id":"m%d","method":"initialize"}\n' % i
                    for i in range(500)))
ok(all(server.answer(f"m{i}") for i in range(500)), "500 lines in one write")

for request in (0, -1, 2**53, 2**63 - 1, "", "x" * 256, "ä☃😀", "\"\\\n\t", "1"):
    server.ask("initialize", id=request)
    ok(server.answer(request)["id"] == request, f"the id {str(request)[:20]!r} comes back")

equal(code_of(server, "no.such"), -32601, "an unknown method")
equal(code_of(server, "session.Open", {}), -32601, "... names are exact")
equal(code_of(server, "", {}), -32601, "... an empty one")
before = len(server.order)
server.notify("no.such", {})
server.notify("initialize", {})
server.notify("session.open", {"workspace": WS})
server.line('{"jsonrpc":"2.0","method":"session.close","params":[1]}')
server.line('{"jsonrpc":"2.0","method":"session.close","params":7}')
ok(server.alive(), "notifications of what needs an answer")
equal(len(server.order), before + 1, "... are ignored in silence")
server.answers["null"].clear()

# ---- long lines ----------------------------------------------------------------------------

session = server.open(WS)


def long_line(length, request):
    message = {"jsonrpc": "2.0", "id": request, "method": "session.run",
               "params": {"session": session, "argv": ["wc", "-c"], "stdin": ""}}
    pad = length - len(json.dumps(message))
    message["params"]["stdin"] = "x" * pad
    return json.dumps(message).encode(), pad


data, pad = long_line(MIB, "exact")
server.line(data)
equal(server.result("exact")["stdout"]["text"].strip(), str(pad), "a line of 1 MiB")
for length, what in ((MIB + 1, "one byte more"), (3 * MIB, "3 MiB"), (20 * MIB, "20 MiB")):
    data, _ = long_line(length, "long")
    equal(server.error_of_line(data), -32600, f"a line of {what}")
    ok(server.alive(), "... the next line is served")
server.raw(b"x" * (2 * MIB))
equal(server.answer(None)["error"]["code"], -32600, "a line that is too long and has no end yet")
server.line(b'{"jsonrpc":"2.0","id":"rest","method":"initialize"}')
ok(server.alive(), "... its rest is skipped")
equal(list(server.answers['"rest"']), [], "... all of it")
server.raw(b"\n" * 100000)
ok(server.alive(), "100000 empty lines")

# ---- params --------------------------------------------------------------------------------

for method in ("session.open", "session.run", "session.cancel", "session.close", "initialize",
               "preflight", "backends"):
    equal(code_of(server, method, [WS]), -32602, f"{method}: params by position")
for method in ("session.open", "session.run", "session.cancel", "session.close"):
    equal(code_of(server, method), -32602, f"{method}: without params")
server.line('{"jsonrpc":"2.0","id":"p","method":"initialize","params":7}')
ok(server.answer("p")["error"]["code"] in (-32602, -32600), "params that are a number")


def bad(desc, method, params, *words):
    code, message = server.error(method, params)
    ok(code == -32602 and all(word in message for word in words), desc,
       f"{code} {message}", f"expected -32602 with {words}")


bad("an unknown field", "session.open", {"workspace": WS, "frobnicate": 1}, "frobnicate")
bad("... the nearest is told", "session.open", {"worksapce": WS}, "worksapce", "workspace")
bad("... of a run", "session.run", {"session": session, "argv": ["true"], "timout": "1s"},
    "timout", "timeout")
equal(server.call("initialize", {"clientName": "x"})["protocol"], 1, "initialize takes any params")
bad("open without workspace", "session.open", {}, "workspace")
for value in (7, True, None, ["/srv"], {}):
    bad(f"workspace: {value!r}", "session.open", {"workspace": value}, "workspace")
bad("a workspace with a NUL", "session.open", {"workspace": WS + "\0x"})
for name in ("read_only", "single_root"):
    for value in (1, "yes", None):
        bad(f"{name}: {value!r}", "session.open", {"workspace": WS, name: value}, name)
bad("profile: 7", "session.open", {"workspace": WS, "profile": 7}, "profile")
bad("run without session", "session.run", {"argv": ["true"]}, "session")
bad("run without argv", "session.run", {"session": session}, "argv")
for value in ([], "true", {}, None, [1], ["true", None], ["true", ["x"]]):
    bad(f"argv: {value!r}", "session.run", {"session": session, "argv": value}, "argv")
for name, values in {
        "timeout": (5, True, ["5s"], "", "soon", "5", "-5s", "5 s", "5s5s"),
        "stdin": (7, False, ["x"], {}, {"base64": 7}, {"base64": "%%%"}, {"base64": "QQ="},
                  {"base64": "QQ==", "text": "x"}, {"text": "x"}),
        "network": (1, "yes"), "confirmed": (1, "yes"), "stream": (1, "yes"),
        "read": ("/usr", [7], {}, [None])}.items():
    for value in values:
        bad(f"{name}: {json.dumps(value)}", "session.run",
            {"session": session, "argv": ["true"], name: value})
bad("argv with a NUL", "session.run", {"session": session, "argv": ["echo", "a\0b"]})
bad("session: 7", "session.close", {"session": 7}, "session")
bad("cancel without id", "session.cancel", {"session": session}, "id")
for value in (None, True, 1.5, [1], {}):
    bad(f"cancel, id {value!r}", "session.cancel", {"session": session, "id": value}, "id")
ok(server.alive(), "after all this the server lives")
good_end(server, "envelopes")

# ---- sessions and runs ----------------------------------------------------------------------

server = serve()
session = server.open(WS)
other = server.open(WS)
ok(isinstance(session, str) and session and session != other, "sessions have names of their own")

result = server.run(session, ["sh", "-c", "echo out; echo err >&2; exit 3"])
equal(set(result), RESULT, "a result has the fields that drupe(1) names")
cli = subprocess.run([DRUPE, "run", "-p", PLAIN, "-w", WS, "--json", "--", "true"],
                     stdout=subprocess.PIPE, timeout=60, check=False,
                     **({} if os.getuid() else {"stdin": subprocess.DEVNULL}))
equal(set(json.loads(cli.stdout)), set(result), "... the same as of `drupe run --json`")
equal((result["status"], result["exit_code"], result["signal"], result["refusal"]),
      ("exited", 3, None, None), "the status of the command")
equal((result["stdout"]["text"], result["stderr"]["text"]), ("out\n", "err\n"), "both streams")
equal(result["command"][0], "sh", "the command")
equal((result["policy"]["source"], result["profile"]), (PLAIN, "build"), "policy and profile")
ok(isinstance(result["wall_seconds"], float) and 0 < result["wall_seconds"] < 30, "the time")
equal(set(result["usage"].values()), {None}, "without a scope the usage is not known")

equal(server.run(session, ["cat"])["stdout"]["text"], "", "without stdin there is none")
equal(server.run(session, ["cat"], stdin="ä\n☃")["stdout"]["text"], "ä\n☃", "stdin as text")
blob = bytes(range(256)) * 20
result = server.run(session, ["cat"], stdin={"base64": base64.b64encode(blob).decode()})
equal((result["stdout"]["encoding"], base64.b64decode(result["stdout"]["base64"])),
      ("base64", blob), "stdin and stdout as base64")
ok("text" not in result["stdout"], "... then there is no text")
equal(server.run(session, ["cat"], stdin="")["exit_code"], 0, "an empty stdin")
code, message = server.error("session.run",
                             {"session": session, "argv": ["od", "-An", "-c"], "stdin": "a\0b"})
ok(code in (-32602, -32700) or "\\0" in str(message), "a NUL in stdin is whole or an error", message)
big = "0123456789abcdef" * 40000
result = server.run(session, ["sha256sum"], stdin=big)
equal(result["stdout"]["text"].split()[0],
      __import__("hashlib").sha256(big.encode()).hexdigest(), "640 KB of stdin")
result = server.run(session, ["true"], stdin=big)
equal((result["status"], result["exit_code"]), ("exited", 0), "... that the command does not read")
result = server.run(session, ["perl", "-e", "print 'x' x 20000"])
equal((result["stdout"]["bytes"], result["stdout"]["omitted_bytes"],
       result["stdout"]["truncated"]), (20000, 10000, True), "a long stream is bounded")
ok("[drupe: 10000 bytes omitted]" in result["stdout"]["text"], "... and says so")
equal(server.run(session, ["sh", "-c", "kill -9 $$"])["exit_code"], 137, "killed: 137")
equal(server.run(session, ["/no/such"])["exit_code"], 127, "not found: 127")
result = server.run(session, ["sleep", "100"], timeout="300ms")
equal((result["status"], result["refusal"]), ("timed_out", None), "the timeout")
result = server.run(session, ["true"], timeout="11m")
equal((result["status"], result["refusal"] and result["refusal"]["code"]),
      ("refused", "not-granted"), "a timeout above the most is refused, as a result")
equal(set(result["refusal"]), REFUSAL, "... with the whole refusal")
equal(result["exit_code"], None, "... and no exit code")
result = server.run(session, ["true"], network=True)
equal((result["status"], result["refusal"] and result["refusal"]["code"]),
      ("refused", "network-denied"), "a network that the profile does not grant")
equal(server.run(session, ["true"], network=False)["status"], "exited", "network: false")
result = server.run(session, ["true"], read=["/srv"])
equal((result["status"], result["refusal"] and result["refusal"]["code"]),
      ("refused", "not-granted"), "an outside read that is not granted")
equal(server.run(session, ["true"], read=[])["status"], "exited", "an empty list of reads")
result = server.run(session, ["sh", "-c", "env; cat /proc/1/environ"])
ok("HOME=/home/sandbox" in result["stdout"]["text"] and "MARK" not in result["stdout"]["text"],
   "the environment is the sandbox's")
equal(server.run(session, ["sh", "-c", "ls /proc/self/fd | wc -l"])["stdout"]["text"].strip(), "4",
      "no descriptor of the server")
equal(server.run(session, ["pwd"])["stdout"]["text"].strip(), os.path.realpath(WS), "the folder")

server.run(session, ["sh", "-c", "echo kept >/tmp/kept"])
equal(server.run(session, ["cat", "/tmp/kept"])["stdout"]["text"], "kept\n",
      "the private tmp lasts as long as the session")
equal(server.run(other, ["ls", "/tmp"])["stdout"]["text"], "", "... and is another's in another")

# ---- errors of sessions ----------------------------------------------------------------------


def refused(desc, code, **params):
    try:
        server.call("session.open", params)
        ok(False, desc, "it was opened")
    except Refused as error:
        data = error.data if isinstance(error.data, dict) else {}
        ok(error.code == -32000 and data.get("code") == code and set(data) == REFUSAL and
           data["message"], desc, f"{error.code} {error.message} {error.data}")


refused("a workspace that is not there", "workspace-missing", workspace=WS + "/none")
refused("/ as a workspace", "workspace-refused", workspace="/")
refused("a profile that is not there", "profile-unknown", workspace=WS, profile="none")
equal(code_of(server, "session.run", {"session": "none", "argv": ["true"]}), -32001,
      "a run in no session")
equal(code_of(server, "session.close", {"session": "none"}), -32001, "closing none")
equal(code_of(server, "session.cancel", {"session": "none", "id": 1}), -32001, "cancel in none")
equal(code_of(server, "session.cancel", {"session": session, "id": "none"}), -32002,
      "cancel of no run")

# ---- several at once -------------------------------------------------------------------------

go = Go(WS, "go-slow")
slow = server.start(session, ["sh", "-c", go.waits])
quick = server.start(session, ["echo", "quick"])
server.result(quick)
ok(server.order[-1] == str(quick) and str(slow) not in server.order,
   "a quick run is answered before a slow one")
equal(code_of(server, "session.cancel", {"session": other, "id": slow}), -32002,
      "a run of another session")
server.ask("initialize", id=slow)
message = server.answer(slow)
ok(message.get("error", {}).get("code") == -32600 and "duplicate id" in message["error"]["message"],
   "an id that is being worked on", message)
server.ask("initialize", id=str(slow))
ok("result" in server.answer(str(slow)), "... the same as a string is another")
go()
equal(server.result(slow)["exit_code"], 0, "... the first one goes on")
server.ask("initialize", id=slow)
ok("result" in server.answer(slow), "an id may come again after the answer")

runs = [server.start(session, ["sh", "-c", f"echo {i}; exit {i}"]) for i in range(16)]
equal([server.result(r)["exit_code"] for r in runs], list(range(16)), "16 runs at once")

# ---- cancel -----------------------------------------------------------------------------------

run = server.start(session, ["sleep", "100"], name="to-cancel")
equal(server.call("session.cancel", {"session": session, "id": run}), {"cancelled": True},
      "cancel")
result = server.result(run)
equal((result["status"], result["exit_code"]), ("cancelled", None), "... the run tells it")
ok(server.order[-2:] == [id_key(server.last_id), id_key(run)], "... after the cancel is answered", server.order)
equal(server.call("session.cancel", {"session": session, "id": run}), {"cancelled": False},
      "cancel of what was cancelled and has ended")
equal(server.result(server.start(session, ["true"], name="to-cancel"))["status"], "exited", "a run by the same id")
equal(server.call("session.cancel", {"session": session, "id": run}), {"cancelled": False},
      "cancel of what has ended by itself")
run = server.start(session, ["sleep", "100"])
cancels = [server.ask("session.cancel", {"session": session, "id": run}) for _ in range(3)]
equal([server.result(cancel) for cancel in cancels], [{"cancelled": True}] * 3, "three cancels of one run")
equal(server.result(run)["status"], "cancelled", "... it is cancelled")
run = server.start(session, ["sleep", "100"], timeout="1s")
equal(server.result(run)["status"], "timed_out", "a run whose time ran out")
equal(server.call("session.cancel", {"session": session, "id": run}), {"cancelled": False}, "... was not cancelled")
run = server.start(session, ["sh", "-c", "echo started; sleep 100"], stream=True)
until(lambda: server.text(run))
server.notify("session.cancel", {"session": session, "id": run})
result = server.result(run)
equal((result["status"], result["stdout"]["text"]), ("cancelled", "started\n"),
      "cancel as a notification; what was written before is there")
server.notify("session.cancel", {"session": "none", "id": 1})
server.notify("session.cancel", {})
server.line('{"jsonrpc":"2.0","method":"session.close","params":[]}')
ok(server.alive(), "wrong notifications are ignored")
result = server.run(session, ["true"])
equal(result["exit_code"], 0, "after a cancel the session goes on")

# ---- streams ----------------------------------------------------------------------------------

go = Go(WS, "go-two")
run = server.start(session, ["sh", "-c", f"echo one; {go.waits}; echo two >&2; exit 2"], stream=True)
ok(until(lambda: server.text(run) == "one\n") and str(run) not in server.order,
   "output comes while the command runs")
go()
result = server.result(run)
equal((server.text(run), server.text(run, "stderr"), result["exit_code"]), ("one\n", "two\n", 2),
      "both streams are told")
equal((result["stdout"]["text"], result["stdout"]["bytes"], result["stderr"]["text"]),
      ("one\n", 4, "two\n"), "... the result has its text as well")
run = server.start(session, ["perl", "-e",
                             '$| = 1; for (split //, "a\\303\\244\\342\\230\\203\\360\\237\\230\\200" x 5)'
                             "{ syswrite STDOUT, $_; select undef, undef, undef, 0.01 }"],
                   name="bytewise", stream=True)
server.result(run)
ok(all("text" in o for o in server.output['"bytewise"']), "characters are never cut",
   server.output['"bytewise"'])
equal(server.text(run), "aä☃😀" * 5, "... all of them come")
ok(len(server.output['"bytewise"']) > 5, "... as they come")
run = server.start(session, ["perl", "-e", 'print "ok\\n"; $| = 1; syswrite STDOUT, "\\377\\303(" . "x" x 9'],
                   stream=True)
result = server.result(run)
pieces = server.output[str(run)]
whole = b"".join(o["text"].encode() if "text" in o else base64.b64decode(o["base64"])
                 for o in pieces)
ok(sorted(whole) == sorted(b"ok\n\xff\xc3(xxxxxxxxx") and any("base64" in o for o in pieces),
   "what is no UTF-8 comes as base64", pieces)
equal(result["stdout"]["encoding"], "base64", "... also in the result")
run = server.start(session, ["printf", r"end\303"], stream=True)
server.result(run)
equal(b"".join(o["text"].encode() if "text" in o else base64.b64decode(o["base64"])
               for o in server.output[str(run)]), b"end\xc3", "a character that the end cuts off")
run = server.start(session, ["perl", "-e", r'print "\342\230\203", "x" x 63 for 1 .. 30000'],
                   stream=True)
result = server.result(run)
equal(server.text(run), ("☃" + "x" * 63) * 30000, "2 MB in order")
equal(result["stdout"]["bytes"], 1980000, "... and counted")
run = server.start(session, ["echo", "x"], stream=False)
server.result(run)
equal(server.output[str(run)], [], "stream: false")
runs = [server.start(session, ["perl", "-e", f"print '{i}' x 200000; print STDERR 'e' x 1000"],
                     stream=True) for i in range(8)]
for r in runs:
    server.result(r)
ok(all(server.text(r) == str(i) * 200000 for i, r in enumerate(runs)), "eight streams beside each other")

# ---- preflight, backends -----------------------------------------------------------------------

for name, args, params in (("backends", [], {}), ("preflight", ["-w", WS], {"workspace": WS})):
    code, got = server.error(name, params)
    cli = subprocess.run([DRUPE, name, *(["-p", PLAIN] if args else []), *args, "--json"],
                         stdout=subprocess.PIPE, stdin=subprocess.DEVNULL, timeout=60, check=False)
    try:
        expected = json.loads(cli.stdout)
    except ValueError:
        expected = None
    if isinstance(expected, dict):
        equal(sorted(got), sorted(expected), f"{name}: as of --json")
    else:
        ok(expected is not None and type(got) is type(expected), f"{name}: as of --json",
           got, cli.stdout)

# ---- close -------------------------------------------------------------------------------------

runs = [server.start(other, ["sh", "-c", f"sleep 1{i}0; :", MARK]) for i in range(3)]
started = time.monotonic()
until(lambda: running(MARK) >= 3)
n = len(server.order)
equal(server.close(other), {}, "close while three runs go on")
equal([server.result(r)["status"] for r in runs], ["cancelled"] * 3, "... they are cancelled")
equal(server.order[n:][-1], str(server.last_id), "... and answered first")
equal(processes(MARK), [], "... and gone")
ok(time.monotonic() - started < WAIT, "... soon")
equal(code_of(server, "session.run", {"session": other, "argv": ["true"]}), -32001,
      "a closed session is none")
equal(code_of(server, "session.close", {"session": other}), -32001, "... also for close")
equal(len(tmps(TMPROOT)), 1, "its private tmp is gone, the other's is there")
third = server.open(WS)
server.run(third, ["true"])
server.notify("session.close", {"session": third})
ok(until(lambda: len(tmps(TMPROOT)) == 1), "close as a notification")
read_only = server.open(WS, read_only=True, single_root=True)
result = server.run(read_only, ["sh", "-c", "touch x; echo $?"])
ok(result["stdout"]["text"].strip() != "0", "read_only")
good_end(server, "sessions")
equal(tmps(TMPROOT), [], "no private tmp is left")
server = serve()
session = server.open(WS)
runs = [server.start(session, ["sh", "-c", "sleep 100; :", MARK]) for _ in range(3)]
ok(until(lambda: running(MARK) >= 3), "three runs")
started = time.monotonic()
equal(server.end(), (0, []), "end of input while runs go on: status 0")
ok(time.monotonic() - started < WAIT, "... soon")
equal((processes(MARK), tmps(TMPROOT)), ([], []), "... nothing is left")

# ---- options -----------------------------------------------------------------------------------

server = serve("profiles", "-P", "small")
equal(server.run(server.open(WS), ["true"])["profile"], "small", "-P: of sessions that name none")
equal(server.run(server.open(WS, profile="build"), ["true"])["profile"], "build", "... another is named")
good_end(server, "profiles")


def misuse(desc, args, status=2):
    child = subprocess.run([DRUPE, "serve", *args], stdin=subprocess.DEVNULL,
                           stdout=subprocess.PIPE, stderr=subprocess.PIPE, timeout=60, check=False)
    ok(child.returncode == status and not child.stdout and child.stderr, desc,
       child.returncode, child.stdout, child.stderr)


misuse("a policy that is not there", ["-p", f"{CONF}/none.yaml"])
misuse("a policy with an error", ["-p", f"{CONF}/wrong.yaml"])
misuse("an unknown option", ["-p", PLAIN, "--frobnicate"])
misuse("a word that is no option", ["-p", PLAIN, "true"])
misuse("a workspace without --mcp", ["-p", PLAIN, "-w", WS])
for path in (PLAIN,):
    child = subprocess.run([DRUPE, "serve", "-p", path], stdin=subprocess.DEVNULL,
                           stdout=subprocess.PIPE, stderr=subprocess.PIPE, timeout=60, check=False)
    equal((child.returncode, child.stdout), (0, b""), "no input at all: status 0")

# What narrows is in force for every session.
server = serve("plain", "--read-only")
for params in ({}, {"read_only": False}):
    result = server.run(server.open(WS, **params), ["sh", "-c", "echo x >written"])
    ok(result["exit_code"] != 0 and not os.path.exists(f"{WS}/written"),
       "--read-only: for every session", result)
good_end(server, "--read-only")

# Few descriptors: runs are refused, the server goes on.
server = serve("few", before=("prlimit", "--nofile=60:60"))
session = server.open(WS)
go = Go(WS, "go-few")
runs = [server.start(session, ["sh", "-c", go.waits], stream=i % 2 == 0) for i in range(16)]
until(lambda: any(server.answers[str(run)] for run in runs))
go()
ends = set()
for run in runs:
    message = server.answer(run)
    ends.add(message["result"]["status"] if "result" in message else message["error"]["code"])
ok(ends - {"exited"} and ends <= {"exited", "refused", -32603},
   "16 runs with 60 descriptors: some, or all, are refused", ends)
equal(server.run(session, ["true"])["status"], "exited", "... and later ones run")
good_end(server, "few descriptors")

# ---- network asked for -----------------------------------------------------------------------------

server = serve("ask")
session = server.open(WS)
result = server.run(session, ["true"], network=True)
equal((result["status"], result["refusal"] and result["refusal"]["code"]),
      ("refused", "network-denied"), "mode ask: a network that nobody confirmed")
result = server.run(session, ["true"], network=True, confirmed=True)
ok(result["status"] == "exited" and result["network"] == "slirp4netns" or
   result["status"] == "refused" and result["refusal"]["stage"] in ("network", "backend", "preflight") and
   result["refusal"]["code"] != "network-denied", "... and one that was confirmed", result)
equal(server.run(session, ["true"])["network"], "none", "... unasked there is none")
good_end(server, "mode ask")

# ---- ends --------------------------------------------------------------------------------------

for number, status in ((signal.SIGTERM, 143), (signal.SIGINT, 130), (signal.SIGHUP, 129)):
    server = serve()
    session = server.open(WS)
    server.start(session, ["sh", "-c", "sleep 100; :", MARK])
    until(lambda: running(MARK))
    server.child.send_signal(number)
    equal(server.wait(), status, f"{number.name}: status {status}")
    equal((processes(MARK), tmps(TMPROOT)), ([], []), "... nothing is left")
server = serve()
server.alive()
equal(server.kill(signal.SIGTERM), 143, "SIGTERM of an idle server")

# The client closes its end of the server's output.
read, write = os.pipe()
child = subprocess.Popen([DRUPE, "serve", "-p", PLAIN], stdin=subprocess.PIPE, stdout=write,
                         stderr=subprocess.DEVNULL)
os.close(write)
child.stdin.write(json.dumps({"jsonrpc": "2.0", "id": 1, "method": "session.open",
                              "params": {"workspace": WS}}).encode() + b"\n")
child.stdin.flush()
session = json.loads(os.read(read, 65536))["result"]["session"]
for i in (2, 3):
    child.stdin.write(json.dumps({
        "jsonrpc": "2.0", "id": i, "method": "session.run",
        "params": {"session": session, "stream": True,
                   "argv": ["sh", "-c", "while :; do echo x; sleep 0.1; done", MARK]}}).encode() + b"\n")
child.stdin.flush()
until(lambda: running(MARK))
os.close(read)
try:
    equal(child.wait(WAIT), 141, "the reader of the output goes away: 141")
except subprocess.TimeoutExpired:
    ok(False, "the reader of the output goes away: 141", "the server goes on")
    child.kill()
    child.wait()
child.stdin.close()
ok(until(lambda: not processes(MARK) and not tmps(TMPROOT)), "... nothing is left",
   processes(MARK), tmps(TMPROOT))

done()
