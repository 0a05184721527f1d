# SPDX-License-Identifier: LGPL-2.1-or-later
"""Clients that do not read, servers that are killed.  slow.py DRUPE"""
import collections
import json
import os
import random
import select
import signal
import sys
import time

from rpc import (WAIT, Server, descriptors, done, equal, note, ok, processes, rounds, rss, running,
                 sanitized, skip, tmps, until)

DRUPE = sys.argv[1]
CONF, WS, TMPROOT = os.environ["CONF"], os.environ["WS"], os.environ["TMPROOT"]
MARK = os.environ["MARK"]
MANY = 64


def serve(policy="plain", **more):
    return Server(DRUPE, "-p", f"{CONF}/{policy}.yaml", **more)


def nothing_left(desc):
    ok(until(lambda: not processes(MARK) and not tmps(TMPROOT)), desc, processes(MARK), tmps(TMPROOT))


def good_end(server, what):
    equal(server.end(), (0, []), f"{what}: a good end")
    nothing_left("... nothing is left")


server = serve()
server.alive()
SANITIZED = sanitized(server.pid)
ENDS = rounds(6 if SANITIZED else 12, 30)


def is_full(server):
    """Whether there is no room in the pipe of what the server says: asked at its other end.
    The bytes in it do not tell, for a page of it need not be full."""
    end = os.open(f"/proc/self/fd/{server.child.stdout.fileno()}", os.O_WRONLY | os.O_NONBLOCK)
    try:
        return not select.select([], [end], [], 0)[1]
    finally:
        os.close(end)


# ---- many at once -----------------------------------------------------------------------------

session = server.open(WS)
for run in [server.start(session, ["true"]) for _ in range(4)]:
    server.result(run)
before, fds = rss(server.pid), descriptors(server.pid)
started = time.monotonic()
runs = [server.start(session, ["sh", "-c", "sleep 1000; :", MARK], timeout="5m") for _ in range(MANY)]
ok(until(lambda: running(MARK) >= MANY), f"{MANY} commands at once", running(MARK))
each = (rss(server.pid) - before) / MANY
note(f"started in {time.monotonic() - started:.1f} s; {each:.0f} KiB and "
     f"{(descriptors(server.pid) - fds) / MANY:.1f} descriptors each")
if SANITIZED:
    skip("under 1 MiB each of the server's memory", "a sanitizer")
else:
    ok(each < 1024, "under 1 MiB each of the server's memory", each)
started = time.monotonic()
for run in runs:
    server.notify("session.cancel", {"session": session, "id": run})
equal(collections.Counter(server.result(run)["status"] for run in runs), {"cancelled": MANY},
      "all are cancelled")
note(f"cancelled in {time.monotonic() - started:.1f} s")
equal(processes(MARK), [], "... no survivor")
ok(until(lambda: descriptors(server.pid) == fds), "... no descriptor more", descriptors(server.pid), fds)
server.close(session)
good_end(server, "many at once")

# ---- a client that stops reading -----------------------------------------------------------------

server = serve()
session = server.open(WS)
server.run(session, ["true"])
server.reading.clear()
before = rss(server.pid)
runs = [server.start(session, ["sh", "-c", "while :; do head -c 100000 /dev/zero | tr '\\0' x; done",
                               MARK], stream=True, timeout="5s") for _ in range(MANY)]
until(lambda: is_full(server))
peak, end = 0, time.monotonic() + WAIT
while processes(MARK) and time.monotonic() < end:
    peak = max(peak, rss(server.pid))
    time.sleep(0.1)
note(f"64 writers without a reader: {peak - before} KiB more at most")
if SANITIZED:
    skip("the server's memory is bounded", "a sanitizer")
else:
    ok(peak - before < MANY * 1024, "64 writers without a reader: the server's memory is bounded",
       f"{peak - before} KiB")
ok(until(lambda: not processes(MARK)), "their time ends though nobody reads", len(processes(MARK)))
server.reading.set()
results = [server.result(run, 120) for run in runs]
equal(collections.Counter(r["status"] for r in results), {"timed_out": MANY},
      "when it reads again all answers come")
ok(all(r["wall_seconds"] < WAIT for r in results), "... the times of the runs were kept",
   max(r["wall_seconds"] for r in results))
ok(all(set(server.text(run)) <= {"x"} for run in runs), "... with what was written")
equal(server.run(session, ["echo", "well"])["stdout"]["text"], "well\n", "the server is well")
good_end(server, "a client that stopped reading")

# A slow reader loses nothing of what a patient command writes.
server = serve()
session = server.open(WS)
server.reading.clear()
run = server.start(session, ["perl", "-e", "print 'y' x 3000000"], stream=True)
ok(until(lambda: is_full(server)), "a pipe that nobody reads gets full")
server.reading.set()
result = server.result(run)
equal((result["status"], len(server.text(run)), result["stdout"]["bytes"]), ("exited", 3000000, 3000000),
      "a reader that comes late gets all of it")
# Answers that nobody reads, of requests that are small.
server.reading.clear()
sent = 0
os.set_blocking(server.child.stdin.fileno(), False)
line = json.dumps({"jsonrpc": "2.0", "id": "flood", "method": "no.such", "params": {"x": "y" * 200}})
before, stalled = rss(server.pid), 0
data = (line + "\n").encode() * 200
while stalled < 20 and sent < 200000000:
    try:
        n = os.write(server.child.stdin.fileno(), data)
    except BlockingIOError:
        stalled += is_full(server)
        time.sleep(0.05)
        continue
    stalled = 0
    sent += n
    data = data[n:] + data[:n]
note(f"{sent // 1000000} MB of requests without reading: {rss(server.pid) - before} KiB more")
if SANITIZED:
    skip("requests without reading: memory is bounded", "a sanitizer")
else:
    ok(rss(server.pid) - before < 32768, "requests without reading: memory is bounded",
       rss(server.pid) - before)
os.set_blocking(server.child.stdin.fileno(), True)
server.reading.set()
server.raw(b"\n")
ok(server.alive(), "... and served when it reads again")
good_end(server, "a late reader")

# End of input, and signals, while nobody reads: a pipe that is the server's own, and one that
# it cannot open again, as after setpriv or sudo -u.
for how, status, foreign in (("end of input", 0, False), ("SIGTERM", 143, False),
                             ("end of input", 0, True), ("SIGTERM", 143, True),
                             ("SIGINT", 130, True), ("SIGHUP", 129, True)):
    server = serve(foreign=foreign)
    session = server.open(WS)
    if foreign:                         # for is_full: the server has its descriptors
        os.fchmod(server.child.stdout.fileno(), 0o600)
        how += ", a pipe of another user"
    server.reading.clear()
    for _ in range(8):
        server.start(session, ["sh", "-c", "while :; do echo yyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyy; done", MARK], stream=True)
    until(lambda: running(MARK) >= 8 and is_full(server))
    started = time.monotonic()
    if status:
        server.child.send_signal(status - 128)
    else:
        server.close_input()
    try:
        equal(server.wait(), status, f"{how} while nobody reads: status {status}")
    except Exception as error:  # pylint: disable=broad-except
        ok(False, f"{how} while nobody reads: status {status}", error)
        server.kill()
    note(f"{how}: {time.monotonic() - started:.1f} s")
    server.reading.set()
    nothing_left("... nothing is left")

# A request, while nobody reads a pipe of another user.
server = serve(foreign=True)
session = server.open(WS)
os.fchmod(server.child.stdout.fileno(), 0o600)
server.reading.clear()
run = server.start(session, ["sh", "-c", "head -c 300000 /dev/zero | tr '\\0' z; echo >wrote; sleep 1000",
                             MARK], stream=True, timeout="5m")
ok(until(lambda: os.path.exists(f"{WS}/wrote") and is_full(server)), "a pipe of another user gets full")
cancel = server.ask("session.cancel", {"session": session, "id": run})
ok(until(lambda: not processes(MARK)), "... a cancel is served meanwhile", processes(MARK))
server.reading.set()
equal((server.result(cancel), server.result(run)["status"], len(server.text(run))),
      ({"cancelled": True}, "cancelled", 300000), "... all is there when it reads again")
good_end(server, "a pipe of another user")

# ---- killed ------------------------------------------------------------------------------------

seed = int(os.environ.get("SEED", random.randrange(1 << 30)))
note(f"SEED={seed}")
chance = random.Random(seed)
ends = collections.Counter()
for i in range(ENDS):
    server = serve()
    asked = [server.ask("session.open", {"workspace": WS}) for _ in range(2)]
    if chance.random() < 0.75:
        for request in asked:
            session = server.result(request)["session"]
            for _ in range(chance.randrange(1, 4)):
                server.start(session, ["sh", "-c", "sleep 1000 & sleep 1000", MARK],
                             stream=chance.random() < 0.5)
    time.sleep(chance.random() * 0.15)
    # Most by what cannot be caught.
    how = chance.choice(("KILL", "KILL", "KILL", "TERM", "EOF", "both"))
    if how == "EOF":
        server.close_input()
        status = server.wait()
    elif how == "both":
        server.child.send_signal(signal.SIGTERM)
        time.sleep(chance.random() * 0.02)
        status = server.kill()
    else:
        status = server.kill(signal.SIGKILL if how == "KILL" else signal.SIGTERM)
    ends[how] += 1
    good = {"KILL": (137,), "TERM": (143,), "EOF": (0,), "both": (143, 137)}[how]
    if status not in good or not until(lambda: not processes(MARK)):
        ok(False, f"round {i}: {how}", f"status {status}", *processes(MARK))
    server.reader.join(WAIT)
    if not until(lambda: not tmps(TMPROOT)):
        # What a killed guard left is swept by the next server; say which it was.
        ok(False, f"round {i}: no tmp is left after {how}", tmps(TMPROOT))
        break
server = serve()
session = server.open(WS)
for _ in range(MANY):
    server.start(session, ["sh", "-c", "sleep 1000 & sleep 1000", MARK])
until(lambda: running(MARK) >= MANY)
equal(server.kill(), 137, f"killed with {MANY} commands")
nothing_left("... nothing is left")
ok(True, f"{ENDS} servers ended at random moments: {dict(ends)}")
nothing_left("... nothing is left")
done()
