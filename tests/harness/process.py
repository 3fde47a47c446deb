"""Programs that run beside a suite. Each is ended with what it started itself, by its own id, and nothing else is."""

import os
import queue
import re
import signal
import socket
import subprocess
import sys
import threading
import time
from contextlib import suppress
from pathlib import Path

LOOPBACK = "127.0.0.1"
# Seconds. Envoy compiles the module first, which takes a second or two on a slow machine.
START = 60.0
# Seconds from asking a program to end to ending it.
END = 5.0
URL = re.compile(r"http://\S+/mcp")

# A suite that is told to end ends first what it has started.
signal.signal(signal.SIGTERM, lambda *_: sys.exit(128 + signal.SIGTERM))


def free_port():
    """A port of loopback that nobody listens on, for programs that have to be told one."""
    with socket.create_server((LOOPBACK, 0)) as listener:
        return listener.getsockname()[1]


def end(process, how=signal.SIGKILL):
    """Ends a process that leads a session of its own, and all of that session."""
    if process.returncode is None:
        with suppress(ProcessLookupError):
            os.killpg(process.pid, how)


class Process:
    """A running program; ended by `close` or at the end of a `with`."""

    def __init__(self, command, log, env=None, output=None):
        """What it prints goes to the file `log`, or to `output`; `env` is added to the environment."""
        self.log_path = Path(log)
        self.log_path.parent.mkdir(parents=True, exist_ok=True)
        with open(self.log_path, "wb") as sink:
            self.process = subprocess.Popen(
                [str(part) for part in command],
                stdin=subprocess.DEVNULL,
                stdout=output or sink,
                stderr=sink,
                env={**os.environ, **(env or {})},
                text=True,
                start_new_session=True,
            )

    def log(self):
        return self.log_path.read_text(errors="replace")

    def wait_until(self, condition, what):
        """Waits for something to be true and returns it; `what` is said of a program for which it never is."""
        deadline = time.monotonic() + START
        while time.monotonic() < deadline:
            if self.process.poll() is not None:
                raise self.failed(f"ended with {self.process.returncode}")
            if found := condition():
                return found
            time.sleep(0.05)
        raise self.failed(f"{what} after {START:.0f} s")

    def failed(self, problem):
        tail = "\n".join(self.log().splitlines()[-30:])
        return RuntimeError(f"`{self.process.args[0]}` {problem}; its log, {self.log_path}, ends:\n{tail}")

    def wait_for(self, port):
        """Waits until somebody listens on a port of loopback."""

        def listens():
            with suppress(OSError), socket.create_connection((LOOPBACK, port), 1):
                return True
            return False

        self.wait_until(listens, f"does not listen on port {port}")

    def close(self):
        if self.process.poll() is None:
            end(self.process, signal.SIGTERM)
            with suppress(subprocess.TimeoutExpired):
                self.process.wait(END)
            end(self.process)
            self.process.wait()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()


class Server(Process):
    """An MCP server that prints its URL."""

    def __init__(self, command, log, env=None):
        super().__init__(command, log, env, subprocess.PIPE)
        said = queue.SimpleQueue()
        threading.Thread(target=self._read, args=(said,), daemon=True).start()
        try:
            self.url = said.get(timeout=START)
        except queue.Empty:
            self.url = None
        if self.url is None:
            self.close()
            raise self.failed("has not said where it listens")

    def _read(self, said):
        """Finds the URL, and goes on reading: a full pipe would stop the server."""
        for line in self.process.stdout:
            if found := URL.search(line):
                said.put(found.group())
        said.put(None)

    @property
    def place(self):
        """`host:port`."""
        return self.url.removeprefix("http://").partition("/")[0]
