# SPDX-License-Identifier: LGPL-2.1-or-later
"""No memory for a line of JSON: it is told, and is no success.

memory.py DRUPE NO-LINE.SO
"""
import os
import subprocess
import sys

from rpc import Server, done, equal, ok, processes, running, tmps, until

DRUPE, LIBRARY = sys.argv[1:]
CONF, WS, TMPROOT, MARK = (os.environ[name] for name in ("CONF", "WS", "TMPROOT", "MARK"))
PLAIN = f"{CONF}/plain.yaml"
FULL = f"{WS}/no-memory"
ENV = {**os.environ, "LD_PRELOAD": LIBRARY, "NO_LINE": FULL,
       "ASAN_OPTIONS": os.environ.get("ASAN_OPTIONS", "") + ":verify_asan_link_order=0"}


def drupe(*args):
    """Its status, stdout, stderr."""
    child = subprocess.run([DRUPE, *args], env=ENV, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                           stderr=subprocess.PIPE)
    return child.returncode, child.stdout, child.stderr.decode()


plain = ("-p", PLAIN, "-w", WS)
equal(drupe("run", "--json", *plain, "--", "true")[0], 0, "there is memory")
server = Server(DRUPE, "-p", PLAIN, env=ENV)
session = server.open(WS)
server.start(session, ["sh", "-c", "sleep 1000; :", MARK])
ok(until(lambda: running(MARK)), "a server that works")
open(FULL, "w").close()
server.ask("initialize")
equal(server.wait(), 125, "no memory for an answer: the server ends")
ok("drupe: out of memory: " in server.said(), "... and says so", server.said())
equal((processes(MARK), tmps(TMPROOT)), ([], []), "... nothing of its run is left")

said = "drupe: cannot write the output: Cannot allocate memory\n"
for status, args in ((125, ("run", "--json", *plain, "--", "true")),
                     (3, ("run", "--json", *plain, "--", "sh", "-c", "exit 3")),
                     (2, ("plan", "--json", *plain, "--", "true")), (2, ("preflight", "--json", *plain)),
                     (2, ("backends", "--json"))):
    equal(drupe(*args), (status, b"", said), f"no memory: {args[0]}, {status}")
report = f"{WS}/report"
equal(drupe("run", "--report", report, *plain, "--", "true"),
      (125, b"", "drupe: cannot write the report: Cannot allocate memory\n"), "no memory for the report")
equal(os.path.getsize(report), 0, "... which is empty")
done()
