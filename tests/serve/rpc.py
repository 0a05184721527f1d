# SPDX-License-Identifier: LGPL-2.1-or-later
"""A client of `drupe serve` for the tests, and TAP.

It shares no code with drupe, and is strict: a line of the server that is not one JSON
object of the right shape fails the test.
"""
import collections
import json
import os
import signal
import subprocess
import sys
import tempfile
import threading
import time
import traceback

WAIT = 60

# ---- TAP: unnumbered lines; serve.sh counts them -------------------------------------

failed = 0


def ok(condition, desc, *details):
    """A case: it holds when CONDITION is true.  Returns it."""
    global failed
    print(("ok - " if condition else "not ok - ") + desc)
    if not condition:
        failed += 1
        for detail in details:
            for line in str(detail)[-2000:].splitlines():
                print("# " + line)
    sys.stdout.flush()
    return bool(condition)


def equal(got, expected, desc):
    return ok(got == expected, desc, f"got:      {got!r}", f"expected: {expected!r}")


def skip(desc, why):
    print(f"ok - {desc} # SKIP {why}")
    sys.stdout.flush()


def note(text):
    for line in str(text).splitlines():
        print("# " + line)
    sys.stdout.flush()


def done():
    sys.exit(1 if failed else 0)


def unexpected(kind, error, trace):
    """What nobody caught ends the test, and says where."""
    ok(False, f"it goes on to its end: {kind.__name__}",
       "".join(traceback.format_exception(kind, error, trace)))
    sys.stdout.flush()
    os._exit(1)


sys.excepthook = unexpected


# ---- JSON, strictly --------------------------------------------------------------------


def no_twice(pairs):
    names = [name for name, _ in pairs]
    if len(names) != len(set(names)):
        raise ValueError(f"a name is there twice: {names}")
    return dict(pairs)


def no_constant(word):
    raise ValueError(f"{word} is not JSON")


def parse(line):
    return json.loads(line.decode("utf-8", "strict"), object_pairs_hook=no_twice,
                      parse_constant=no_constant)


def is_int(value):
    return isinstance(value, int) and not isinstance(value, bool)


def check_message(message):
    """Why MESSAGE is no message of JSON-RPC 2.0 from a server, or None."""
    if not isinstance(message, dict):
        return "not an object"
    if message.get("jsonrpc") != "2.0":
        return "jsonrpc is not 2.0"
    names = set(message)
    if "method" in names:
        if names != {"jsonrpc", "method", "params"}:
            return "a notification with other members"
        if not isinstance(message["params"], dict):
            return "params is no object"
        return None
    if names == {"jsonrpc", "id", "result"}:
        return None
    if names != {"jsonrpc", "id", "error"}:
        return f"members {sorted(names)}"
    error = message["error"]
    if not isinstance(error, dict) or set(error) - {"code", "message", "data"}:
        return "the error object has a wrong shape"
    if not is_int(error.get("code")) or not isinstance(error.get("message"), str):
        return "the error has no code or no message"
    return None


# ---- the client ------------------------------------------------------------------------


class Refused(Exception):
    """An error answer."""

    def __init__(self, error):
        super().__init__(f"{error['code']} {error['message']}")
        self.code = error["code"]
        self.message = error["message"]
        self.data = error.get("data")


class Gone(Exception):
    """The server ended, or does not answer."""


class Server:
    """One server; a thread reads all it says."""

    def __init__(self, drupe, *args, cwd=None, env=None, mcp=False, before=(), foreign=False):
        self.stderr = tempfile.TemporaryFile()
        read, write = os.pipe()
        if foreign:                     # it can be written to, but not be opened again
            os.fchmod(write, 0)
        self.child = subprocess.Popen([*before, drupe, "serve", *args], stdin=subprocess.PIPE,
                                      stdout=write, stderr=self.stderr, cwd=cwd,
                                      env=env, bufsize=0)
        os.close(write)
        self.child.stdout = os.fdopen(read, "rb", buffering=0)
        self.pid = self.child.pid
        self.mcp = mcp
        self.wrong = []                                 # what the server must not say
        self.answers = collections.defaultdict(collections.deque)
        self.output = collections.defaultdict(list)     # by the id of the run
        self.order = []                                 # ids as they were answered
        self.ended = False
        self.changed = threading.Condition()
        self.reading = threading.Event()
        self.reading.set()
        self.last_id = 0
        self.writing = threading.Lock()
        self.reader = threading.Thread(target=self._read, daemon=True)
        self.reader.start()

    def _read(self):
        kept = b""
        while True:
            self.reading.wait()
            try:
                chunk = os.read(self.child.stdout.fileno(), 65536)
            except (OSError, ValueError):
                chunk = b""
            if not chunk:
                break
            *lines, kept = (kept + chunk).split(b"\n")
            for line in lines:
                self._take(line)
        with self.changed:
            if kept:
                self.wrong.append(f"an unfinished line: {kept[:200]!r}")
            self.ended = True
            self.changed.notify_all()

    def _take(self, line):
        try:
            message = parse(line)
            wrong = check_message(message)
        except (ValueError, RecursionError) as error:
            message, wrong = None, str(error)
        with self.changed:
            if wrong:
                self.wrong.append(f"{wrong}: {line[:300]!r}")
            elif "method" in message:
                self._notification(message)
            else:
                key = id_key(message["id"])
                self.order.append(key)
                self.answers[key].append(message)
            self.changed.notify_all()

    def _notification(self, message):
        params = message["params"]
        if message["method"] != "output" or self.mcp:
            self.wrong.append(f"an unknown notification: {message}")
            return
        if set(params) not in ({"id", "stream", "text"}, {"id", "stream", "base64"}) or \
                params["stream"] not in ("stdout", "stderr"):
            self.wrong.append(f"a wrong notification: {message}")
            return
        key = id_key(params["id"])
        if self.answers.get(key):
            self.wrong.append(f"output after the answer of {key}")
        self.output[key].append(params)

    def raw(self, data):
        """Send bytes as they are."""
        with self.writing:
            view = memoryview(data)
            while view:
                view = view[self.child.stdin.write(view):]

    def line(self, data):
        self.raw((data if isinstance(data, bytes) else data.encode()) + b"\n")

    def send(self, message):
        self.line(json.dumps(message))

    def notify(self, method, params):
        self.send({"jsonrpc": "2.0", "method": method, "params": params})

    def ask(self, method, params=None, **more):
        """Send a request; returns its id."""
        if "id" not in more:
            self.last_id += 1
        message = {"jsonrpc": "2.0", "id": more.get("id", self.last_id), "method": method}
        if params is not None:
            message["params"] = params
        self.send(message)
        return message["id"]

    def answer(self, request, timeout=None):
        """The next answer to this id, as it came."""
        key = id_key(request)
        end = time.monotonic() + (timeout or WAIT)
        with self.changed:
            while not self.answers[key]:
                left = end - time.monotonic()
                if left <= 0:
                    raise Gone(f"no answer to {request!r}; wrong: {self.wrong[:3]}")
                if self.ended:
                    raise Gone(f"the server ended; no answer to {request!r}; "
                               f"stderr: {self.said()[-500:]}")
                self.changed.wait(left)
            return self.answers[key].popleft()

    def result(self, request, timeout=None):
        message = self.answer(request, timeout)
        if "error" in message:
            raise Refused(message["error"])
        return message["result"]

    def call(self, method, params=None, **more):
        return self.result(self.ask(method, params, **more))

    def error(self, method, params=None, **more):
        """The error answer as (code, message); (None, the result) where there is none."""
        try:
            return None, self.call(method, params, **more)
        except Refused as refused:
            return refused.code, refused.message

    def error_of_line(self, data, request=None):
        """Send a line; the code of the error to REQUEST (null: no id)."""
        self.line(data)
        try:
            return self.answer(request)["error"]["code"]
        except KeyError:
            return None

    def alive(self):
        return self.call("initialize")["name"] == "drupe"

    # -- sessions

    def open(self, workspace, **params):
        return self.call("session.open", {"workspace": workspace, **params})["session"]

    def start(self, session, argv, name=None, **params):
        more = {} if name is None else {"id": name}
        return self.ask("session.run", {"session": session, "argv": argv, **params}, **more)

    def run(self, session, argv, **params):
        return self.result(self.start(session, argv, **params))

    def close(self, session):
        return self.call("session.close", {"session": session})

    def text(self, request, stream="stdout"):
        """What was notified of a stream, when all of it was text."""
        with self.changed:
            return "".join(o["text"] for o in self.output[id_key(request)]
                           if o["stream"] == stream)

    # -- the process

    def said(self):
        """What the server wrote for people."""
        self.stderr.seek(0)
        return self.stderr.read().decode("utf-8", "replace")

    def close_input(self):
        try:
            self.child.stdin.close()
        except OSError:
            pass

    def wait(self, timeout=None):
        """The exit status as a shell has it."""
        status = self.child.wait(timeout or WAIT)
        return status if status >= 0 else 128 - status

    def end(self):
        """End of input; the status and what was wrong with its words."""
        self.close_input()
        status = self.wait()
        self.reader.join(WAIT)
        return status, self.wrong

    def kill(self, number=signal.SIGKILL):
        self.child.send_signal(number)
        return self.wait()


def id_key(value):
    """1 and "1" are different ids."""
    return json.dumps(value)


# ---- what is there on the machine --------------------------------------------------------


def processes(mark):
    """Every process that has MARK in its command line: (pid, command line)."""
    found = []
    mark = mark.encode()
    for name in os.listdir("/proc"):
        if not name.isdigit() or int(name) == os.getpid():
            continue
        try:
            with open(f"/proc/{name}/cmdline", "rb") as file:
                words = file.read()
        except OSError:
            continue
        if mark in words:
            found.append((int(name), words.replace(b"\0", b" ").decode("utf-8", "replace")))
    return found


def running(mark):
    """How many commands `sh -c ... MARK` have been let go: not what starts them."""
    return sum(words.startswith("sh -c ") for _, words in processes(mark))


def status_field(pid, name):
    """A number of /proc/PID/status."""
    with open(f"/proc/{pid}/status") as file:
        for line in file:
            if line.startswith(name + ":"):
                return int(line.split()[1])
    return None


def rss(pid):
    """Resident KiB."""
    return status_field(pid, "VmRSS")


def descriptors(pid):
    return len(os.listdir(f"/proc/{pid}/fd"))


def sanitized(pid):
    """Whether this process was built with a sanitizer: its memory is another matter."""
    with open(f"/proc/{pid}/maps") as file:
        return "san.so" in file.read()


def until(condition, seconds=WAIT):
    """Wait until CONDITION() holds; whether it does."""
    end = time.monotonic() + seconds
    while not condition():
        if time.monotonic() > end:
            return False
        time.sleep(0.02)
    return True


def rounds(short, long):
    """How often a loop goes round that finds more the longer it runs."""
    return long if os.environ.get("DRUPE_TEST_LONG") == "1" else short


class Go:
    """A file in the workspace, for commands that wait: sh -c f'... {go.waits}; ...'"""

    def __init__(self, workspace, name):
        self.path = f"{workspace}/{name}"
        self.waits = f"until [ -e {name} ]; do sleep 0.05; done"

    def __call__(self):
        with open(self.path, "x", encoding="ascii"):
            pass


def tmps(root):
    return sorted(os.listdir(root))
