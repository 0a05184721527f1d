# SPDX-License-Identifier: LGPL-2.1-or-later
"""What lasts in a session and what does not.  sessions.py DRUPE"""
import collections
import os
import random
import signal
import sys
import time

from rpc import (Go, Server, descriptors, done, equal, note, ok, processes, rounds, rss, running,
                 sanitized, skip, tmps, until)

DRUPE = sys.argv[1]
CONF, WS, TMPROOT = os.environ["CONF"], os.environ["WS"], os.environ["TMPROOT"]
MARK = os.environ["MARK"]


def serve(policy="plain"):
    return Server(DRUPE, "-p", f"{CONF}/{policy}.yaml")


def good_end(server, what):
    equal(server.end(), (0, []), f"{what}: a good end")
    equal((processes(MARK), tmps(TMPROOT)), ([], []), "... nothing is left")


def took(what, started, count):
    seconds = time.monotonic() - started
    note(f"{what}: {count} in {seconds:.1f} s")


server = serve()
SANITIZED = server.alive() and sanitized(server.pid)
SESSIONS = rounds(40 if SANITIZED else 80, 200)
RUNS = rounds(100 if SANITIZED else 300, 1000)
ENDINGS = rounds(6, 40)
CANCELS = rounds(30 if SANITIZED else 90, 300)

# ---- what is kept, and from whom ---------------------------------------------------------

other = serve()
mine, again = server.open(WS), server.open(WS)
theirs = other.open(WS)
for where, session, word in ((server, mine, "mine"), (server, again, "again"), (other, theirs, "theirs")):
    where.run(session, ["sh", "-c", f"echo {word} >/tmp/{word}; echo gone >/home/sandbox/x; echo gone >/dev/shm/x"])
for where, session, word in ((server, mine, "mine"), (server, again, "again"), (other, theirs, "theirs")):
    result = where.run(session, ["sh", "-c", "ls -A /tmp; cat /tmp/*"])
    equal(result["stdout"]["text"], f"{word}\n{word}\n", f"{word}: its own private tmp and no other")
result = server.run(mine, ["sh", "-c", "ls -A /home/sandbox /dev/shm | grep -cx x"])
equal(result["stdout"]["text"], "0\n", "HOME and /dev/shm are new for each command")
equal(len(tmps(TMPROOT)), 3, "three private tmps")
modes = {oct(os.stat(f"{TMPROOT}/{name}").st_mode & 0o7777) for name in tmps(TMPROOT)}
equal(modes, {"0o700"}, "... closed to others")
for name in tmps(TMPROOT):
    result = other.run(theirs, ["ls", f"{TMPROOT}/{name}"])
    ok(result["exit_code"] != 0, "... and not seen from inside by their place on the host")
server.close(mine)
equal(len(tmps(TMPROOT)), 2, "close removes one")
equal(server.run(again, ["cat", "/tmp/again"])["stdout"]["text"], "again\n", "... and no other")
server.run(again, ["sh", "-c", "mkdir -p /tmp/a/b; echo x >/tmp/a/b/c; ln -s / /tmp/a/root; mkfifo /tmp/f;"
                               " chmod 0 /tmp/a/b /tmp/a"])
server.close(again)
equal(len(tmps(TMPROOT)), 1, "close removes one that the command made hard to remove")
equal(other.end(), (0, []), "the other server ends")
fresh = serve("ephemeral")
session = fresh.open(WS)
fresh.run(session, ["sh", "-c", "echo x >/tmp/x"])
equal(fresh.run(session, ["ls", "/tmp"])["stdout"]["text"], "", "ephemeral_tmp: each command has a new one")
equal(tmps(TMPROOT), [], "... and none is on the host's disk")
good_end(fresh, "ephemeral")

# ---- side by side --------------------------------------------------------------------------

session = server.open(WS)
meet = ["sh", "-c", "echo here >/tmp/$0; until [ $(ls /tmp | grep -c ^p) -eq 8 ]; do sleep 0.1; done"]
runs = [server.start(session, meet + [f"p{i}"]) for i in range(8)]
equal([server.result(run)["exit_code"] for run in runs], [0] * 8, "eight commands at once share the tmp")
result = server.run(session, ["sh", "-c", "ls -d /proc/[0-9]* | wc -l"])
ok(int(result["stdout"]["text"]) <= 5, "a command sees no process of another")
sessions = [server.open(WS) for _ in range(6)]
runs = [(i, server.start(s, ["sh", "-c", f"echo {i} >>/tmp/x; sleep 0.2; cat /tmp/x"]))
        for i, s in enumerate(sessions)]
equal([server.result(run)["stdout"]["text"] for _, run in runs], [f"{i}\n" for i in range(6)],
      "runs of six sessions at once")
for s in sessions + [session]:
    server.close(s)
equal(tmps(TMPROOT), [], "all closed")

# ---- the first reason stays -------------------------------------------------------------------

folder = f"{WS}/comes-later"
code, _ = server.error("session.open", {"workspace": folder})
equal(code, -32000, "a session that was refused")
os.mkdir(folder)
session = server.open(folder)
equal(server.run(session, ["true"])["status"], "exited", "... another one is opened once it is mended")


def gone(server, session, code, path, desc):
    result = server.run(session, ["true"])
    refusal = result["refusal"] or {}
    equal((result["status"], refusal.get("stage"), refusal.get("code")), ("refused", "session", code), desc)
    ok(f'"{path}"' in refusal.get("message", "") and "new session" in (refusal.get("hint") or ""),
       "... which one, and what to do", refusal)


moved = folder + "-moved"
os.rename(folder, moved)
equal(server.run(session, ["true"])["status"], "exited", "a workspace that was moved is still there")
os.rename(moved, folder)
os.rmdir(folder)
gone(server, session, "workspace-gone", folder, "a workspace that was removed meanwhile")
os.mkdir(folder)
gone(server, session, "workspace-gone", folder, "... and made again: it is another one")
again = server.open(folder)
equal(server.run(again, ["true"])["status"], "exited", "... for a new session")
server.close(session)
server.close(again)
session = server.open(f"{folder}/.")
os.mkdir(f"{folder} (deleted)")
os.rmdir(folder)
gone(server, session, "workspace-gone", folder, "removed, beside one with the kernel's name for it")
os.rmdir(f"{folder} (deleted)")
server.close(session)
good_end(server, "sessions")

CORPUS = os.path.dirname(WS) + "/corpus"
server = serve("corpus")
session = server.open(WS)
equal(server.run(session, ["test", "-d", CORPUS])["exit_code"], 0, "a corpus")
os.rmdir(CORPUS)
gone(server, session, "place-gone", CORPUS, "... that was removed meanwhile")
os.mkdir(CORPUS)
gone(server, session, "place-gone", CORPUS, "... and made again")
server.close(session)
session = server.open(WS)
tmp = f"{TMPROOT}/{tmps(TMPROOT)[0]}"
os.rmdir(tmp)
gone(server, session, "place-gone", tmp, "a private tmp that somebody removed")
os.mkdir(tmp, 0o700)
gone(server, session, "place-gone", tmp, "... and made again")
server.close(session)
good_end(server, "corpus")

# ---- many ----------------------------------------------------------------------------------


def count(server):
    return descriptors(server.pid), len(os.listdir(f"/proc/{server.pid}/task"))


def settle(server, before=None):
    """Descriptors, threads and memory once nothing is worked on: no more than BEFORE, or as
    many as they are for half a second."""
    server.alive()
    if before:
        until(lambda: count(server) <= before[:2] and count(server)[1] <= before[1])
        return (*count(server), rss(server.pid))
    seen = [count(server)]
    while len(seen) < 6 or len(set(seen[-6:])) > 1:
        time.sleep(0.1)
        seen.append(count(server))
    return (*seen[-1], rss(server.pid))


def no_growth(what, before, after, bound):
    equal(after[0], before[0], f"{what}: no descriptor more")
    ok(after[1] <= before[1], f"{what}: no thread more", before, after)
    if SANITIZED:
        skip(f"{what}: memory", "a sanitizer keeps what was freed")
    else:
        ok(after[2] - before[2] <= bound, f"{what}: at most {bound} KiB more", before, after)
    note(f"{what}: {before} -> {after} (descriptors, threads, KiB)")


server = serve()
for _ in range(8):
    server.close(server.open(WS))
before, started = settle(server), time.monotonic()
states = collections.Counter()
for i in range(0, SESSIONS, 4):
    asked = [server.ask("session.open", {"workspace": WS}) for _ in range(4)]
    opened = [server.result(request)["session"] for request in asked]
    if i % 8 == 0:
        states[server.run(opened[0], ["true"])["status"]] += 1
    states["same"] += 4 - len(set(opened))
    for request in [server.ask("session.close", {"session": s}) for s in opened]:
        states["closed"] += server.result(request) == {}
took("sessions", started, SESSIONS)
equal(states["closed"], SESSIONS, f"{SESSIONS} sessions opened and closed")
equal((states["same"], states["exited"]), (0, (SESSIONS + 7) // 8), "... no name twice, and they work")
equal(tmps(TMPROOT), [], "... no private tmp is left")
no_growth("sessions", before, settle(server, before), 1024)
good_end(server, "many sessions")

server = serve()
session = server.open(WS)
for _ in range(10):
    for run in [server.start(session, ["true"]) for _ in range(4)]:
        server.result(run)
run = server.start(session, ["echo", "x"], stream=True)
server.result(run)
before, started = settle(server), time.monotonic()
files = sorted(os.listdir(WS)), server.run(session, ["ls", "-A", "/tmp"])["stdout"]["text"]
states = collections.Counter()
pending = collections.deque()
for i in range(RUNS):
    pending.append(server.start(session, ["echo", str(i)], stream=i % 3 == 0))
    while len(pending) > 3:
        states[server.result(pending.popleft())["exit_code"]] += 1
    if i == RUNS // 2:
        while pending:
            states[server.result(pending.popleft())["exit_code"]] += 1
        middle = settle(server)
while pending:
    states[server.result(pending.popleft())["exit_code"]] += 1
took("runs", started, RUNS)
equal(dict(states), {0: RUNS}, f"{RUNS} runs in one session")
equal((sorted(os.listdir(WS)), server.run(session, ["ls", "-A", "/tmp"])["stdout"]["text"],
       len(tmps(TMPROOT))), (*files, 1), "... no file more")
no_growth("runs", before, settle(server, before), 768)
note(f"half way: {middle}")
server.close(session)
good_end(server, "many runs")

# ---- a cancel and the end of the command at once -----------------------------------------------

server = serve()
session = server.open(WS)
for i in range(ENDINGS):
    go = Go(WS, f"go-end-{i}")
    run = server.start(session, ["sh", "-c", f"{go.waits}; exit 0", MARK])
    until(lambda: running(MARK) > 0)
    # The server learns of both in the same moment.
    server.child.send_signal(signal.SIGSTOP)
    go()
    until(lambda: running(MARK) == 0)
    cancel = server.ask("session.cancel", {"session": session, "id": run})
    server.child.send_signal(signal.SIGCONT)
    told, status = server.result(cancel)["cancelled"], server.result(run)["status"]
    if told != (status == "cancelled"):
        ok(False, f"round {i}: the cancel and the run tell the same", told, status)
ok(True, f"{ENDINGS} commands that ended as they were cancelled")
wrong, seen = [], collections.Counter()
for i in range(0, CANCELS, 3):
    batch = []
    for _ in range(3):
        run = server.start(session, ["true"])
        time.sleep(random.random() * 0.06)
        batch.append((run, server.ask("session.cancel", {"session": session, "id": run})))
    for run, cancel in batch:
        told, status = server.result(cancel)["cancelled"], server.result(run)["status"]
        seen[status] += 1
        if told != (status == "cancelled"):
            wrong.append((told, status))
equal(wrong, [], f"short commands cancelled at random moments: {dict(seen)}")
server.close(session)
good_end(server, "ends and cancels")

# ---- cancel at any moment ---------------------------------------------------------------------

server = serve()
session = server.open(WS)
seed = int(os.environ.get("SEED", random.randrange(1 << 30)))
note(f"SEED={seed}")
chance = random.Random(seed)
server.run(session, ["true"])
before, started = settle(server), time.monotonic()
states = collections.Counter()
for i in range(0, CANCELS, 3):
    # Three at once; a usual start takes some tens of milliseconds.
    batch = []
    for _ in range(3):
        run = server.start(session, ["sh", "-c", "sleep 1000 & sleep 1000", MARK])
        time.sleep(chance.choice((0, chance.random() * 0.01, chance.random() * 0.06)))
        batch.append((run, server.ask("session.cancel", {"session": session, "id": run})))
    for run, cancel in batch:
        states[str(server.result(cancel).get("cancelled"))] += 1
        states[server.result(run)["status"]] += 1
    if i % 30 == 0:
        left = processes(MARK)
        if left:
            ok(False, "no survivor in between", left)
took("cancels", started, CANCELS)
CANCELS = (CANCELS + 2) // 3 * 3
equal(dict(states), {"True": CANCELS, "cancelled": CANCELS}, f"{CANCELS} runs cancelled at random moments")
equal(processes(MARK), [], "... no survivor")
no_growth("cancels", before, settle(server, before), 1024)
result = server.run(session, ["echo", "well"])
equal(result["stdout"]["text"], "well\n", "... the session is well")
server.close(session)
good_end(server, "cancels")
done()
