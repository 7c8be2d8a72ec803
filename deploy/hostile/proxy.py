"""A metadata proxy of a check's own: configured as `vigil up` does it, but for the settings that the check changes."""

import ctypes
import json
import os
import pathlib
import resource
import signal
import socket
import subprocess
import tempfile
import time
import urllib.error
import urllib.request


def die_with_parent(sign=signal.SIGTERM):
    """The kernel ends this process when its parent ends, in whatever way. To be called in the child."""
    ctypes.CDLL(None).prctl(1, sign)


def raise_file_limit(wanted=65_536):
    """Lets this process and its children open as many files as the system allows, and returns how many that are."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    if hard == resource.RLIM_INFINITY:
        hard = wanted
    try:
        resource.setrlimit(resource.RLIMIT_NOFILE, (max(hard, wanted), max(hard, wanted)))
        return max(hard, wanted)
    except (ValueError, PermissionError):
        resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))
        return hard


def free_port():
    """A port on which nobody listens, below the range from which the system takes those of outgoing connections."""
    start = 12_000 + os.getpid() % 200 * 40
    for port in range(start, 32_000):
        with socket.socket() as probe:
            probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            try:
                probe.bind(("127.0.0.1", port))
                # Two callers, one after the other, must not get the same.
                if port not in free_port.given:
                    free_port.given.add(port)
                    return port
            except OSError:
                continue
    raise SystemExit("No port is free.")


free_port.given = set()


class Process:
    """What the kernel knows of a running process."""

    def __init__(self, pid):
        self.pid = pid

    def _status(self, key):
        for line in pathlib.Path(f"/proc/{self.pid}/status").read_text().splitlines():
            if line.startswith(key + ":"):
                return int(line.split()[1]) * 1024
        raise KeyError(key)

    @property
    def memory(self):
        """Resident, in bytes."""
        return self._status("VmRSS")

    @property
    def peak(self):
        """The most that was resident since `reset_peak`, in bytes."""
        return self._status("VmHWM")

    def reset_peak(self):
        pathlib.Path(f"/proc/{self.pid}/clear_refs").write_text("5")

    @property
    def sockets(self):
        """How many sockets it has open."""
        count = 0
        for entry in os.scandir(f"/proc/{self.pid}/fd"):
            try:
                count += os.readlink(entry.path).startswith("socket:")
            except FileNotFoundError:
                pass
        return count


class Proxy(Process):
    """A running metadata proxy; ends with the `with` that it is used in."""

    def __init__(self, suite, upstream, **changes):
        """`upstream`: the port of the server that takes the place of both services. `changes`: settings, with `__` for
        the dot."""
        self.port = free_port()
        self.admin = free_port()
        settings = json.loads((suite.state / "config" / "metadata-proxy.json").read_text())
        wanted = {
            "listen.port": self.port,
            "admin.port": self.admin,
            "verification.url": f"https://127.0.0.1:{upstream}",
            "submission.url": f"https://127.0.0.1:{upstream}",
            # All come from one address here.
            "limits.requests": 10_000_000,
            "limits.registrations": 10_000_000,
            "answers.deadline": 50,
        } | {name.replace("__", "."): value for name, value in changes.items()}
        for name, value in wanted.items():
            group, key = name.split(".")
            settings.setdefault(group, {})[key] = value
        self.folder = tempfile.TemporaryDirectory(prefix="proxy.", dir=suite.scratch)
        configuration = pathlib.Path(self.folder.name) / "metadata-proxy.json"
        configuration.write_text(json.dumps(settings))
        self.log = pathlib.Path(self.folder.name) / "metadata-proxy.log"
        with self.log.open("wb") as log:
            self.process = subprocess.Popen(
                [suite.programs / "metadata-proxy", "--config", configuration],
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
                preexec_fn=die_with_parent,
            )
        super().__init__(self.process.pid)
        self._wait_until_ready()

    def _wait_until_ready(self):
        for _ in range(600):
            if self.process.poll() is not None:
                raise SystemExit(f"The metadata proxy does not start: {self.log.read_text()[-500:]}")
            try:
                urllib.request.urlopen(f"http://127.0.0.1:{self.admin}/ready", timeout=5).close()
                return
            except (urllib.error.URLError, OSError):
                time.sleep(0.1)
        raise SystemExit(f"The metadata proxy was not ready within a minute: {self.log.read_text()[-500:]}")

    @property
    def is_running(self):
        """Whether it is still the process that was started."""
        return self.process.poll() is None

    def errors(self):
        """What it has logged as an error."""
        return [line for line in self.log.read_text(errors="replace").splitlines() if '"level":"error"' in line]

    def end(self):
        if self.is_running:
            self.process.terminate()
            try:
                self.process.wait(40)
            except subprocess.TimeoutExpired:
                self.process.kill()
                self.process.wait()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.end()
        self.folder.cleanup()
