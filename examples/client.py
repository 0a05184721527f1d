#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Run commands in drupe's sandbox from Python, with the standard library only.

    client.py [-p POLICY] [-u USER] [-t TIMEOUT] WORKSPACE COMMAND [ARG...]

The class Drupe can be copied into another program:

    with Drupe("drupe") as drupe, drupe.session("/srv/build/1") as session:
        result = session.run(["make"], timeout="5m")
        print(result["exit_code"], result["stdout"]["text"])
"""
import argparse
import base64
import json
import subprocess
import sys
import threading


class DrupeError(Exception):
    """An error answer.  `refusal` tells stage, code, message and hint, or is None."""

    def __init__(self, error):
        super().__init__(error["message"])
        self.code = error["code"]
        self.refusal = error.get("data")


class Drupe:
    """A `drupe serve` as a child.  May be used from several threads."""

    def __init__(self, program="drupe", *options):
        self._child = subprocess.Popen([program, "serve", *options],
                                       stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        self._lock = threading.Lock()
        self._last_id = 0
        self._waiting = {}
        self._ended = False
        self._reader = threading.Thread(target=self._read, daemon=True)
        self._reader.start()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()

    def _read(self):
        # One message a line: an answer, or output of a run that streams.
        for line in self._child.stdout:
            message = json.loads(line)
            if message.get("method") == "output":
                params = message["params"]
                with self._lock:
                    request = self._waiting.get(params["id"])
                if request and request.output:
                    data = params["text"].encode() if "text" in params \
                        else base64.b64decode(params["base64"])
                    request.output(params["stream"], data)
            elif "id" in message:
                with self._lock:
                    request = self._waiting.pop(message["id"], None)
                if request:
                    request.finish(message)
        with self._lock:
            self._ended = True
            waiting, self._waiting = self._waiting, {}
        for request in waiting.values():
            request.finish({"error": {"code": 0, "message": "the server ended"}})

    def ask(self, method, params, output=None):
        """Send a request; returns a Request that is waited for with result()."""
        with self._lock:
            if self._ended:
                raise DrupeError({"code": 0, "message": "the server ended"})
            self._last_id += 1
            request = Request(self._last_id, output)
            self._waiting[request.id] = request
            line = json.dumps({"jsonrpc": "2.0", "id": request.id, "method": method,
                               "params": params})
            try:
                self._child.stdin.write(line.encode() + b"\n")
                self._child.stdin.flush()
            except OSError:
                pass                    # the reader tells it
        return request

    def call(self, method, **params):
        """Send a request and wait for the answer."""
        return self.ask(method, params).result()

    def session(self, workspace, **params):
        """Open a session: profile=, read_only=, single_root=."""
        return Session(self, self.call("session.open", workspace=workspace, **params)["session"])

    def close(self):
        """End the server; all that runs ends with it.  Returns its exit status."""
        try:
            self._child.stdin.close()
        except OSError:
            pass
        status = self._child.wait()
        self._reader.join()
        return status


class Request:
    """An answer to come."""

    def __init__(self, number, output=None):
        self.id = number
        self.output = output
        self._message = None
        self._done = threading.Event()

    def finish(self, message):
        self._message = message
        self._done.set()

    def result(self, timeout=None):
        if not self._done.wait(timeout):
            raise TimeoutError
        if "error" in self._message:
            raise DrupeError(self._message["error"])
        return self._message["result"]


class Session:
    """One workspace, one private /tmp, any number of commands."""

    def __init__(self, drupe, name):
        self._drupe = drupe
        self.name = name

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()

    def start(self, argv, output=None, **params):
        """Start a command; output(stream, data) gets what it writes, as it comes.
        More: timeout="5m", stdin="text", network=True, read=["/srv/data"]."""
        if output:
            params["stream"] = True
        return self._drupe.ask("session.run", {"session": self.name, "argv": argv, **params},
                               output)

    def run(self, argv, output=None, **params):
        """Run a command to its end; the result as a dictionary."""
        return self.start(argv, output, **params).result()

    def cancel(self, request):
        """Wait for its end; true when it was cancelled, and did not end in another way."""
        return self._drupe.call("session.cancel", session=self.name, id=request.id)["cancelled"]

    def close(self):
        self._drupe.call("session.close", session=self.name)


def main():
    parser = argparse.ArgumentParser(description="Run a command in drupe's sandbox.")
    parser.add_argument("--drupe", default="drupe", help="the program")
    parser.add_argument("-p", "--policy")
    parser.add_argument("-u", "--user", help="as root: whom to run as")
    parser.add_argument("-t", "--timeout", help="like 45s")
    parser.add_argument("workspace")
    parser.add_argument("command", nargs=argparse.REMAINDER)
    args = parser.parse_args()
    if not args.command:
        parser.error("a COMMAND is missing")
    options = ["-p", args.policy] if args.policy else []
    options += ["-u", args.user] if args.user else []

    def output(stream, data):
        to = sys.stdout.buffer if stream == "stdout" else sys.stderr.buffer
        to.write(data)
        to.flush()

    try:
        with Drupe(args.drupe, *options) as drupe, drupe.session(args.workspace) as session:
            params = {"timeout": args.timeout} if args.timeout else {}
            request = session.start(args.command, output, **params)
            try:
                result = request.result()
            except KeyboardInterrupt:
                session.cancel(request)
                result = request.result()
    except DrupeError as error:
        print(f"client: {error}", file=sys.stderr)
        if error.refusal and error.refusal["hint"]:
            print(f"client: {error.refusal['hint']}", file=sys.stderr)
        return 125
    print(json.dumps(result), file=sys.stderr)
    if result["status"] == "exited":
        return result["exit_code"]
    return {"refused": 125, "timed_out": 124, "cancelled": 130}.get(result["status"], 137)


if __name__ == "__main__":
    sys.exit(main())
