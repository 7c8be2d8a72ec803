"""Further processes of a suite's services beside its own, metadata proxies above all, and what the kernel tells of any process."""

import ctypes
import json
import os
import pathlib
import resource
import shutil
import signal
import socket
import subprocess
import tempfile
import threading
import time
import urllib.error
import urllib.request


# A user who owns nothing.
NOBODY = 65534


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
    """What the kernel tells everybody of a running process."""

    def __init__(self, pid):
        self.pid = pid

    @property
    def memory(self):
        """Resident, in bytes."""
        for line in pathlib.Path(f"/proc/{self.pid}/status").read_text().splitlines():
            if line.startswith("VmRSS:"):
                return int(line.split()[1]) * 1024
        raise SystemExit(f"Process {self.pid} has ended.")

    @property
    def cpu(self):
        """Seconds of a core that it has used, for itself and in the kernel."""
        fields = pathlib.Path(f"/proc/{self.pid}/stat").read_text().rpartition(")")[2].split()
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")

    def growth(self):
        """Watches by how much it grows, in a `with`; the most is in `most`, in bytes."""
        return _Growth(self)


class _Growth:
    """The kernel's own record of the peak can't be reset from outside, so the memory is polled."""

    def __init__(self, process):
        self.process = process
        self.most = 0
        self.stopped = threading.Event()

    def __enter__(self):
        self.before = self.process.memory
        self.thread = threading.Thread(target=self._watch, daemon=True)
        self.thread.start()
        return self

    def _watch(self):
        while not self.stopped.wait(0.01):
            self.look()

    def look(self):
        try:
            self.most = max(self.most, self.process.memory - self.before)
        except (OSError, SystemExit):
            self.stopped.set()

    def __exit__(self, *_):
        self.stopped.set()
        self.thread.join()
        self.look()


def connections_to(port):
    """How many connections stand that a server on this port has accepted, and not closed."""
    count = 0
    with open("/proc/net/tcp") as table:
        next(table)
        for line in table:
            _, local, _, state, *_ = line.split(maxsplit=4)
            # 01 is ESTABLISHED, 08 is CLOSE_WAIT: the client has closed, the server hasn't.
            count += local.endswith(f":{port:04X}") and state in ("01", "08")
    return count


def clients_of(port):
    """The ports of clients whose connections the process on this port holds; what only the kernel still sends has no owner."""
    clients = set()
    with open("/proc/net/tcp") as table:
        next(table)
        for line in table:
            _, local, remote, *_, inode = line.split()[:10]
            if local.endswith(f":{port:04X}") and remote != "00000000:0000" and inode != "0":
                clients.add(int(remote[-4:], 16))
    return clients


def unprivileged():
    """The command that runs another as a user other than root, from wherever root's checkout lies."""
    if os.geteuid() != 0:
        return ["setpriv"]
    may = "--inh-caps=+dac_read_search", "--ambient-caps=+dac_read_search"
    return ["setpriv", f"--reuid={NOBODY}", f"--regid={NOBODY}", "--clear-groups", *may]


class Service(Process):
    """A further process of one of a suite's services; ends with its `with`."""

    def __init__(self, suite, program, scratch, log=None, as_nobody=False, drains=False, environment=None, **changes):
        """`scratch`: where its folder is made. `as_nobody`: where root runs the check, the process belongs to a user who has
        nothing but the files that it needs. `drains`: it is stopped with SIGTERM and drains, which takes seconds.
        `environment`: variables that it gets besides. `changes`: settings, with `__` for the dot; other listeners than these and
        that for metrics get free ports.
        """
        self.program, self.drains = program, drains
        settings = json.loads(json.dumps(suite.configuration[program]))
        changes = {name.replace("__", "."): value for name, value in changes.items()}
        for name, group in settings.items():
            if "port" in group and f"{name}.port" not in changes:
                group["port"] = free_port()
        for name, value in changes.items():
            group, key = name.split(".")
            settings.setdefault(group, {})[key] = value
        self.ports = {name: group["port"] for name, group in settings.items() if "port" in group}
        self.admin = self.ports["admin"]
        self.folder = tempfile.TemporaryDirectory(prefix=f"{program}.", dir=scratch)
        folder = pathlib.Path(self.folder.name)
        if as_nobody:
            for files in (settings["tls"], settings["public"]):
                for key, path in files.items():
                    files[key] = shutil.copy(path, folder)
        configuration = folder / f"{program}.json"
        configuration.write_text(json.dumps(settings))
        if as_nobody and os.geteuid() == 0:
            for path in (folder, *folder.iterdir()):
                os.chown(path, NOBODY, NOBODY)
        self.log = pathlib.Path(log or folder / f"{program}.log")
        prefix = [*unprivileged(), "--pdeathsig", "TERM"] if as_nobody else ["setpriv", "--pdeathsig", "TERM"]
        with self.log.open("ab") as output:
            self.process = subprocess.Popen(
                [*prefix, suite.programs / program, "--config", configuration],
                stdin=subprocess.DEVNULL, stdout=output, stderr=output, env=os.environ | (environment or {}),
            )  # fmt: skip
        super().__init__(self.process.pid)
        self._wait_until_ready()

    def _wait_until_ready(self):
        for _ in range(600):
            if self.process.poll() is not None:
                raise SystemExit(f"{self.program} does not start: {self.log.read_text()[-500:]}")
            try:
                urllib.request.urlopen(f"http://127.0.0.1:{self.admin}/ready", timeout=5).close()
                return
            except (urllib.error.URLError, OSError):
                time.sleep(0.1)
        raise SystemExit(f"{self.program} was not ready within a minute: {self.log.read_text()[-500:]}")

    @property
    def is_running(self):
        """Whether it is still the process that was started."""
        return self.process.poll() is None

    def errors(self):
        """What it has logged as an error."""
        return [line for line in self.log.read_text(errors="replace").splitlines() if '"level":"error"' in line]

    def __enter__(self):
        return self

    def __exit__(self, *_):
        if self.drains:
            self.process.terminate()
            try:
                self.process.wait(20)
            except subprocess.TimeoutExpired:
                pass
        self.process.kill()
        self.process.wait()
        self.folder.cleanup()


class Proxy(Service):
    """A running metadata proxy, configured as the suite's own but for some settings."""

    def __init__(self, suite, upstreams, scratch, port=None, **changes):
        """`upstreams`: the ports of verification server, submission server, push dispatcher, data-donation and further.

        `port`: its own, if it isn't to be any free one; that for metrics is then the ninth behind it. Then as above.
        """
        self.port = port or free_port()
        urls = {f"{name}__url": f"https://127.0.0.1:{port}"
                for name, port in zip(("verification", "submission", "push", "donation", "further"), upstreams, strict=True)}
        ports = {"listen__port": self.port, "admin__port": port + 9 if port else free_port()}
        super().__init__(suite, "metadata-proxy", scratch, **urls | ports | changes)

    @property
    def connections(self):
        """Those of clients that it holds open."""
        return connections_to(self.port)
