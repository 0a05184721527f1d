# SPDX-License-Identifier: LGPL-2.1-or-later
"""answer.py TEXT COMMAND...: COMMAND on a terminal of its own, where TEXT (^C: the key) is
typed once it asked (and "yes" before it began).  Prints the status, and whether it asked."""
import os
import pty
import sys

QUESTION = b"yes or no: "
text, command = sys.argv[1], sys.argv[2:]
gate, opener = os.pipe()
pid, terminal = pty.fork()
if pid == 0:
    os.read(gate, 1)
    os.execvp(command[0], command)
# Type-ahead: no answer to a question that was not read.  Once it is echoed it is in the
# terminal's queue; before, it is on its way there, and could come after the question.
os.write(terminal, b"yes\n")
said, asked = b"", False
while b"yes\r\n" not in said:
    said += os.read(terminal, 4096)
os.write(opener, b"x")
while True:
    try:
        piece = os.read(terminal, 4096)
    except OSError:  # the last end of it is closed
        break
    if not piece:
        break
    said += piece
    if not asked and QUESTION in said:
        asked = True
        os.write(terminal, b"\x03" if text == "^C" else text.encode() + b"\n")
status = os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])
print(status, "asked" if asked else "not asked")
