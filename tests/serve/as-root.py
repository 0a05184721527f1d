# SPDX-License-Identifier: LGPL-2.1-or-later
"""A server that root starts.  as-root.py DRUPE USER"""
import os
import pwd
import sys

from rpc import Refused, Server, done, equal, ok, tmps

DRUPE, USER = sys.argv[1:]
CONF, WS, TMPROOT = os.environ["CONF"], os.environ["WS"], os.environ["TMPROOT"]

server = Server(DRUPE, "-p", f"{CONF}/plain.yaml")
try:
    server.open(WS)
    ok(False, "root without a user is refused", "a session was opened")
except Refused as error:
    equal((error.code, error.data["code"]), (-32000, "user-required"),
          "root without a user is refused")
equal(server.end(), (0, []), "... the server lives on to the end")

server = Server(DRUPE, "-p", f"{CONF}/plain.yaml", "-u", USER)
session = server.open(WS)
result = server.run(session, ["sh", "-c", "id -u; echo x >/tmp/x; echo y >root-ran; stat -c %u root-ran"])
uid = str(pwd.getpwnam(USER).pw_uid)
equal(result["stdout"]["text"].split(), [uid, uid], "-u: the command runs as that user")
equal(os.stat(f"{TMPROOT}/{tmps(TMPROOT)[0]}").st_uid, int(uid), "... whose the private tmp is")
equal(server.run(session, ["cat", "/tmp/x"])["stdout"]["text"], "x\n", "... it is kept")
run = server.start(session, ["sleep", "100"])
equal(server.call("session.cancel", {"session": session, "id": run}), {"cancelled": True},
      "... cancel")
equal(server.result(run)["status"], "cancelled", "... the run is cancelled")
equal(server.close(session), {}, "... close")
equal(tmps(TMPROOT), [], "... the private tmp is gone")
equal(server.end(), (0, []), "... end of input")
done()
