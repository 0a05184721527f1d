# SPDX-License-Identifier: LGPL-2.1-or-later
"""A client of the Model Context Protocol, written after its published schema.

mcp.py DRUPE.  Shapes are those of schema/2025-06-18, and of the two before it where
they differ: https://modelcontextprotocol.io/specification
"""
import json
import os
import signal
import sys

from rpc import Go, Gone, Server, done, equal, is_int, note, ok, processes, running, tmps, until
from schema import bad_schema, validate

DRUPE = sys.argv[1]
CONF, WS, TMPROOT = os.environ["CONF"], os.environ["WS"], os.environ["TMPROOT"]
MARK = os.environ["MARK"]
VERSIONS = ("2025-06-18", "2025-03-26", "2024-11-05")

# ---- the schema ------------------------------------------------------------------------------


def shape(value, required, optional=(), where="object"):
    """VALUE is an object with these members (name -> type) and no other."""
    if not isinstance(value, dict):
        return [f"{where} is no object"]
    wrong = []
    known = {**dict(required), **dict(optional)}
    for name in dict(required):
        if name not in value:
            wrong.append(f"{where}.{name} is missing")
    for name, member in value.items():
        if name == "_meta":
            continue
        if name not in known:
            wrong.append(f"{where}.{name} is not in the schema")
        elif known[name] is int and not is_int(member) or not isinstance(member, known[name]):
            wrong.append(f"{where}.{name} is no {known[name].__name__}")
    return wrong


def initialize_result(value):
    wrong = shape(value, {"protocolVersion": str, "capabilities": dict, "serverInfo": dict},
                  {"instructions": str}, "result")
    wrong += shape(value.get("serverInfo"), {"name": str, "version": str}, {"title": str}, "serverInfo")
    capabilities = value.get("capabilities", {})
    wrong += shape(capabilities, {"tools": dict}, {"logging": dict, "prompts": dict, "resources": dict,
                                                   "completions": dict, "experimental": dict},
                   "capabilities")
    wrong += shape(capabilities.get("tools"), {}, {"listChanged": bool}, "tools")
    return wrong


def tool(value):
    wrong = shape(value, {"name": str, "inputSchema": dict},
                  {"title": str, "description": str, "outputSchema": dict, "annotations": dict}, "tool")
    wrong += shape(value.get("annotations", {}), {},
                   {"title": str, "readOnlyHint": bool, "destructiveHint": bool,
                    "idempotentHint": bool, "openWorldHint": bool}, "annotations")
    for name in ("inputSchema", "outputSchema"):
        schema = value.get(name)
        if schema is None:
            continue
        if schema.get("type") != "object":
            wrong.append(f"{name}.type is not object")
        if not isinstance(schema.get("properties", {}), dict) or \
                not all(isinstance(p, dict) for p in schema.get("properties", {}).values()):
            wrong.append(f"{name}.properties is no object of objects")
        if not all(isinstance(r, str) and r in schema.get("properties", {})
                   for r in schema.get("required", [])):
            wrong.append(f"{name}.required names what is no property")
        wrong += bad_schema(schema, name)
    return wrong


def call_result(value):
    wrong = shape(value, {"content": list}, {"structuredContent": dict, "isError": bool}, "result")
    for i, block in enumerate(value.get("content", [])):
        wrong += shape(block, {"type": str, "text": str}, {"annotations": dict}, f"content[{i}]")
        if block.get("type") != "text":
            wrong.append(f"content[{i}].type is {block.get('type')}")
    return wrong


# ---- the client ------------------------------------------------------------------------------


def serve(policy="plain", *args, **more):
    return Server(DRUPE, "--mcp", "-p", f"{CONF}/{policy}.yaml", *args, mcp=True, **more)


def hello(server, version="2025-06-18"):
    result = server.call("initialize", {
        "protocolVersion": version,
        "capabilities": {"roots": {"listChanged": True}, "sampling": {}, "elicitation": {},
                         "experimental": {"x": {}}},
        "clientInfo": {"name": "drupe's test", "title": "A test", "version": "1.0"}})
    server.notify("notifications/initialized", {})
    return result


OUTPUT = {}


def call(server, arguments, desc=None, **more):
    """tools/call of `run`; the shape of the answer is always checked."""
    result = server.call("tools/call", {"name": "run", "arguments": arguments, **more})
    return checked(result, desc or str(arguments)[:60])


def checked(result, desc):
    wrong = call_result(result)
    if OUTPUT and "structuredContent" in result:
        wrong += validate(result["structuredContent"], OUTPUT)
    if not result.get("isError") and "structuredContent" not in result:
        wrong.append("an outputSchema and no structuredContent")
    if wrong:
        ok(False, f"the shape of the answer: {desc}", *wrong)
    return result


def text(result):
    return "\n".join(block["text"] for block in result["content"])


for version in VERSIONS + ("2099-01-01", "1.0", ""):
    server = serve("plain", "-w", WS)
    try:
        result = hello(server, version)
    except Gone as gone:
        ok(False, f"initialize {version!r}", gone)
        done()
    equal(initialize_result(result), [], f"initialize {version!r}: the shape")
    equal(result["protocolVersion"], version if version in VERSIONS else VERSIONS[0],
          "... the version agreed on")
    equal(result["serverInfo"]["name"], "drupe", "... the name")
    equal(server.call("tools/list")["tools"][0]["name"], "run", "... tools/list")
    equal(call(server, {"command": ["true"]}).get("isError", False), False, "... tools/call")
    equal(server.end(), (0, []), "... a good end")

server = serve("plain", "-w", WS)
equal(server.call("ping"), {}, "ping before initialize")
hello(server)
equal(server.call("ping"), {}, "ping")
equal(server.call("ping", {"_meta": {"progressToken": 7}}), {}, "ping with _meta")

result = server.call("tools/list", {})
equal(shape(result, {"tools": list}, {"nextCursor": str}, "result"), [], "tools/list: the shape")
equal(len(result["tools"]), 1, "one tool")
run = result["tools"][0]
equal(tool(run), [], "the tool: the shape")
equal(run["name"], "run", "its name")
ok(len(run.get("description", "")) > 20, "it is described", run.get("description"))
properties = run["inputSchema"]["properties"]
equal({name: p.get("type") for name, p in properties.items()},
      {"command": "array", "timeout": "string", "stdin": "string", "network": "boolean"}, "its arguments")
equal(properties["command"].get("items", {}).get("type"), "string", "... command holds strings")
equal(run["inputSchema"].get("required"), ["command"], "... and is required")
ok(all(p.get("description") for p in properties.values()), "... each is described")
OUTPUT.update(run.get("outputSchema", {}))
ok(OUTPUT.get("properties"), "an outputSchema")
equal(server.call("tools/list", {"_meta": {}})["tools"], [run], "tools/list again")

result = call(server, {"command": ["sh", "-c", "echo out; echo err >&2"]})
equal(result.get("isError", False), False, "a command that ends well is no error")
ok("out" in text(result) and "err" in text(result), "... the text has both streams", text(result))
data = result["structuredContent"]
equal((data["status"], data["exit_code"], data["stdout"]["text"], data["stderr"]["text"]),
      ("exited", 0, "out\n", "err\n"), "... the result as data")
equal(validate(data, OUTPUT), [], "... of the outputSchema")
missing = [name for name in data if name not in OUTPUT["properties"]]
equal(missing, [], "... which names all of it")
result = call(server, {"command": ["sh", "-c", "echo no >&2; exit 3"]})
equal((result.get("isError"), result["structuredContent"]["exit_code"]), (True, 3), "exit 3 is an error")
ok("3" in text(result) and "no" in text(result), "... the text tells it", text(result))
result = call(server, {"command": ["sleep", "100"], "timeout": "300ms"})
equal((result.get("isError"), result["structuredContent"]["status"]), (True, "timed_out"), "the timeout is one")
ok(text(result).strip(), "... the text tells it", text(result))
result = call(server, {"command": ["sh", "-c", "kill -9 $$"]})
equal(result.get("isError"), True, "a signal is one")
result = call(server, {"command": ["true"], "network": True})
equal((result.get("isError"), result["structuredContent"]["status"]), (True, "refused"), "a refusal is one")
ok(result["structuredContent"]["refusal"]["message"] in text(result), "... the text has its message", text(result))
result = call(server, {"command": ["true"], "timeout": "11m"})
equal(result.get("isError"), True, "a timeout above the most")
equal(call(server, {"command": ["cat"], "stdin": "ä\n☃"})["structuredContent"]["stdout"]["text"], "ä\n☃", "stdin")
equal(call(server, {"command": ["cat"]})["structuredContent"]["stdout"]["bytes"], 0, "no stdin")
result = call(server, {"command": ["printf", r"\377\001"]})
equal(result["structuredContent"]["stdout"].get("encoding"), "base64", "output that is no text")
ok(isinstance(text(result), str), "... a text all the same")
result = call(server, {"command": ["perl", "-e", "print 'x' x 30000"]})
ok("bytes omitted]" in text(result) and len(text(result)) < 25000, "a long output is bounded", len(text(result)))
call(server, {"command": ["sh", "-c", "echo kept >/tmp/x"]})
equal(call(server, {"command": ["cat", "/tmp/x"]})["structuredContent"]["stdout"]["text"], "kept\n",
      "one session for the connection")
equal(len(tmps(TMPROOT)), 1, "... with one private tmp")
equal(call(server, {"command": ["pwd"]})["structuredContent"]["stdout"]["text"].strip(),
      os.path.realpath(WS), "... in the workspace of -w")
result = call(server, {"command": ["true"]}, _meta={"progressToken": "p", "vendor/x": {}})
equal(result.get("isError", False), False, "tools/call with _meta")

for desc, params in (
        ("an unknown tool", {"name": "rm", "arguments": {}}),
        ("no name", {"arguments": {"command": ["true"]}}),
        ("a name that is a number", {"name": 7, "arguments": {"command": ["true"]}}),
        ("no arguments", {"name": "run"}),
        ("arguments that are a list", {"name": "run", "arguments": ["true"]}),
        ("no command", {"name": "run", "arguments": {}}),
        ("an empty command", {"name": "run", "arguments": {"command": []}}),
        ("a command that is a string", {"name": "run", "arguments": {"command": "true"}}),
        ("a command with a number", {"name": "run", "arguments": {"command": ["true", 1]}}),
        ("a command with a NUL", {"name": "run", "arguments": {"command": ["echo", "a\0b"]}}),
        ("an unknown argument", {"name": "run", "arguments": {"command": ["true"], "cwd": "/"}}),
        ("a timeout that is a number", {"name": "run", "arguments": {"command": ["true"], "timeout": 5}}),
        ("a timeout that is none", {"name": "run", "arguments": {"command": ["true"], "timeout": "soon"}}),
        ("stdin that is a number", {"name": "run", "arguments": {"command": ["cat"], "stdin": 5}}),
        ("network that is a string", {"name": "run", "arguments": {"command": ["cat"], "network": "yes"}}),
        ("params by position", ["run"])):
    equal(server.error("tools/call", params)[0], -32602, f"tools/call: {desc}")
for method in ("resources/list", "prompts/list", "logging/setLevel", "completion/complete",
               "session.open", "session.run", "nothing"):
    equal(server.error(method, {})[0], -32601, f"{method}: no such method here")
for line, code in (("hello", -32700), ("[]", -32600), ('{"jsonrpc":"2.0","id":null,"method":"ping"}', -32600),
                   (b"\xff", -32700), (b'{"a":"' + b"x" * 1048576 + b'"}', -32600)):
    equal(server.error_of_line(line), code, f"a bad line: {line[:30]!r}")
before = len(server.order)
server.notify("notifications/roots/list_changed", {})
server.notify("notifications/cancelled", {"requestId": "none", "reason": "x"})
server.notify("notifications/cancelled", {})
server.notify("notifications/nothing", {})
server.line('{"jsonrpc":"2.0","method":"notifications/initialized"}')
equal((server.call("ping"), len(server.order)), ({}, before + 1), "notifications are not answered")

# ---- at once, and cancelled ---------------------------------------------------------------------

go = Go(WS, "go")
slow = server.ask("tools/call", {"name": "run", "arguments": {"command": ["sh", "-c", go.waits]}}, id="slow")
quick = server.ask("tools/call", {"name": "run", "arguments": {"command": ["true"]}})
checked(server.result(quick), "quick")
ok('"slow"' not in server.order, "calls beside each other, answered as they end")
equal(server.call("ping"), {}, "... ping beside them")
go()
checked(server.result(slow), "slow")
asked = server.ask("tools/call", {"name": "run", "arguments": {"command": ["sh", "-c", "sleep 1000; :", MARK]}}, id="gone")
ok(until(lambda: running(MARK)), "a long call")
server.notify("notifications/cancelled", {"requestId": "gone", "reason": "the user said so"})
ok(until(lambda: not processes(MARK)), "notifications/cancelled ends it", processes(MARK))
equal(server.call("ping"), {}, "... the server lives on")
note(f"a cancelled call is {'answered' if server.answers[json.dumps('gone')] else 'not answered'}")
for i in range(3):
    server.ask("tools/call", {"name": "run", "arguments": {"command": ["sh", "-c", "sleep 1000; :", MARK]}})
until(lambda: running(MARK) >= 3)
equal(server.end(), (0, []), "end of input while calls go on")
equal((processes(MARK), tmps(TMPROOT)), ([], []), "... nothing is left")

# ---- options ----------------------------------------------------------------------------------------

server = serve("plain", "-w", f"{WS}/none")
hello(server)
equal(server.call("tools/list")["tools"][0]["name"], "run", "a workspace that is not there: the tool is there")
result = call(server, {"command": ["true"]})
ok(result.get("isError") is True and f"{WS}/none" in text(result), "... the call tells it", text(result))
result = call(server, {"command": ["true"]})
ok(result.get("isError") is True and text(result), "... the next one too", text(result))
equal(server.end(), (0, []), "... a good end")

server = serve("plain", "-w", "/")
hello(server)
result = call(server, {"command": ["true"]})
ok(result.get("isError") is True and "folder" in text(result) or "workspace" in text(result),
   "a refused workspace: message and hint", text(result))
server.end()

server = serve("plain", "-w", WS, "--read-only")
hello(server)
result = call(server, {"command": ["touch", "x"]})
ok(result.get("isError") is True and not os.path.exists(f"{WS}/x"), "--read-only")
equal(server.end(), (0, []), "... a good end")

server = serve("profiles", "-w", WS, "-P", "small")
hello(server)
equal(call(server, {"command": ["true"]})["structuredContent"]["profile"], "small", "-P")
equal(server.end(), (0, []), "... a good end")

server = serve(cwd=WS)
hello(server)
equal(call(server, {"command": ["pwd"]})["structuredContent"]["stdout"]["text"].strip(),
      os.path.realpath(WS), "without -w: the current folder")
server.ask("tools/call", {"name": "run", "arguments": {"command": ["sh", "-c", "sleep 1000; :", MARK]}})
until(lambda: running(MARK))
equal(server.kill(signal.SIGTERM), 143, "SIGTERM: 143")
equal((processes(MARK), tmps(TMPROOT)), ([], []), "... nothing is left")

server = serve("ask", "-w", WS)
hello(server)
result = call(server, {"command": ["true"], "network": True})
equal((result.get("isError"), result["structuredContent"]["refusal"]["code"]), (True, "network-denied"),
      "mode ask: a client cannot confirm for a person")
equal(server.end(), (0, []), "... a good end")

# ---- a workspace that goes and comes ------------------------------------------------------------------


def told(result, *words):
    return len(result["content"]) == 2 and all(word in result["content"][1]["text"] for word in words)


def fine(result):
    return result["structuredContent"]["status"], len(result["content"]) > 1


folder = f"{WS}/again"
for desc, args, more in (("-w", ("-w", folder), {}), ("the current folder", (), {"cwd": folder}),
                         ("-w below it", ("-w", "../again"), {"cwd": folder})):
    os.mkdir(folder)
    server = serve("plain", *args, **more)
    hello(server)
    equal(fine(call(server, {"command": ["sh", "-c", "echo x >/tmp/x"]})), ("exited", False), f"{desc}: a call")
    os.rmdir(folder)
    os.mkdir(folder)
    result = call(server, {"command": ["sh", "-c", "pwd; ls -A /tmp"]})
    equal((result["structuredContent"]["status"], result["structuredContent"]["stdout"]["text"]),
          ("exited", os.path.realpath(folder) + "\n"), "... removed and made again: it runs in a new session")
    ok(told(result, os.path.realpath(folder), "new session", "/tmp"), "... and says so", text(result))
    equal(fine(call(server, {"command": ["true"]})), ("exited", False), "... once")
    equal(len(tmps(TMPROOT)), 1, "... the old session is closed")
    os.rmdir(folder)
    for _ in range(2):
        result = call(server, {"command": ["true"]})
        equal((result.get("isError"), result["structuredContent"]["refusal"]["code"]),
              (True, "workspace-missing"), "... removed for good: refused")
    os.mkdir(folder)
    result = call(server, {"command": ["true"]})
    ok(fine(result) == ("exited", True) and told(result, "new session"), "... until it is there", text(result))
    os.rmdir(f"{TMPROOT}/{tmps(TMPROOT)[0]}")
    result = call(server, {"command": ["true"]})
    ok(fine(result) == ("exited", True) and told(result, "private tmp"), "... its private tmp removed", text(result))
    equal(server.end(), (0, []), "... a good end")
    os.rmdir(folder)

os.mkdir(folder)
server = serve("plain", "-w", folder)
hello(server)
asked = server.ask("tools/call", {"name": "run", "arguments": {
    "command": ["sh", "-c", "echo x >/tmp/x; until [ -e /tmp/go ]; do sleep 0.05; done; cat /tmp/x", MARK]}})
ok(until(lambda: running(MARK)), "a command that still runs")
old = tmps(TMPROOT)
until(lambda: os.path.exists(f"{TMPROOT}/{old[0]}/x"))
os.rmdir(folder)
os.mkdir(folder)
both = [server.ask("tools/call", {"name": "run", "arguments": {"command": ["true"]}}) for _ in range(4)]
results = [checked(server.result(a), "beside it") for a in both]
equal([r["structuredContent"]["status"] for r in results], ["exited"] * 4, "... calls beside it get a new session")
equal(sum(fine(r)[1] for r in results), 1, "... all the same, and one of them says so")
equal(len(tmps(TMPROOT)), 2, "... the old session lasts")
with open(f"{TMPROOT}/{old[0]}/go", "w"):
    pass
equal(checked(server.result(asked), "old")["structuredContent"]["stdout"]["text"], "x\n", "... until its command ends")
ok(until(lambda: not set(old) & set(tmps(TMPROOT))), "... and is closed then", tmps(TMPROOT))
equal(server.end(), (0, []), "... a good end")
equal(tmps(TMPROOT), [], "... nothing is left")
os.rmdir(folder)

# The first call of all is a hundred calls at once: one session is opened.
server = serve("plain", "-w", WS)
hello(server)
asked = [server.ask("tools/call", {"name": "run", "arguments": {"command": ["sh", "-c", "echo x >>/tmp/x"]}})
         for _ in range(20)]
equal([checked(server.result(a), "burst").get("isError", False) for a in asked], [False] * 20, "twenty at once, at first")
equal(call(server, {"command": ["grep", "-c", "x", "/tmp/x"]})["structuredContent"]["stdout"]["text"], "20\n",
      "... in one session")
equal(server.end(), (0, []), "... a good end")
done()
