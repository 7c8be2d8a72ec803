"""What a check starts beside the suite: nginx in the proxy's place, and a second proxy whose services are away."""

import contextlib
import json
import os
import pathlib
import shutil
import socket
import subprocess
import tempfile
import time

from suite import Unexpected

# Of a network that belongs to the script alone, and below the suite's own.
SECOND_PROXY, SECOND_PROXY_ADMIN, NOBODY_LISTENS, NGINX = 19100, 19109, 19199, 19200
# A user who owns nothing.
NOBODY = 65534
# So that they end when the script is killed.
_MORTAL = ["setpriv", "--pdeathsig", "TERM"]


def unprivileged():
    """Runs a program as a user other than root, from wherever root's checkout lies."""
    if os.geteuid() != 0:
        return ["setpriv"]
    may = "--inh-caps=+dac_read_search", "--ambient-caps=+dac_read_search"
    return ["setpriv", f"--reuid={NOBODY}", f"--regid={NOBODY}", "--clear-groups", *may]


@contextlib.contextmanager
def running(command, log, port):
    """A program that listens on a port, until the context ends."""
    with open(log, "ab") as output:
        process = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=output, stderr=output)
    try:
        _wait(process, log, port)
        yield process
    finally:
        process.terminate()
        try:
            process.wait(20)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()


def _wait(process, log, port):
    end = time.monotonic() + 20
    while time.monotonic() < end and process.poll() is None:
        with socket.socket() as probe:
            if probe.connect_ex(("127.0.0.1", port)) == 0:
                return
        time.sleep(0.05)
    raise Unexpected(f"{process.args[-3:]} does not listen on port {port}; its log is {log}:\n"
                     + pathlib.Path(log).read_text(errors="replace")[-2000:])


def nginx(executable, suite, folder, verification, submission):
    """nginx with its defaults; the two ports are where it sends requests to."""
    folder.mkdir()
    text = (pathlib.Path(__file__).parent / "nginx.conf").read_text()
    values = {
        "user": "user root;" if os.geteuid() == 0 else "", "folder": folder, "port": NGINX,
        "certificates": suite.state / "certificates", "verification": verification, "submission": submission,
    }
    for name, value in values.items():
        text = text.replace(f"@{name}@", str(value))
    configuration = folder / "nginx.conf"
    configuration.write_text(text)
    command = [*_MORTAL, executable, "-e", str(folder / "error.log"), "-c", str(configuration)]
    return running(command, folder / "output.log", NGINX)


@contextlib.contextmanager
def second_proxy(executable, suite, log, registrations):
    """The metadata proxy once more, with a low limit of registrations, and nobody where its services should be.

    Where root runs the suite, this one belongs to a user who has nothing but the files it needs.
    """
    settings = json.loads(json.dumps(suite.configuration["metadata-proxy"]))
    settings["listen"] |= {"port": SECOND_PROXY}
    settings["admin"] |= {"port": SECOND_PROXY_ADMIN}
    settings["limits"] = settings.get("limits", {}) | {"registrations": registrations}
    for service in ("verification", "submission"):
        settings[service]["url"] = f"https://127.0.0.1:{NOBODY_LISTENS}"
    with tempfile.TemporaryDirectory(dir="/tmp", prefix="vigil-second.") as name:
        folder = pathlib.Path(name)
        for files in (settings["tls"], settings["public"]):
            for key, path in files.items():
                files[key] = shutil.copy(path, folder)
        configuration = folder / "metadata-proxy.json"
        configuration.write_text(json.dumps(settings))
        if os.geteuid() == 0:
            for path in (folder, *folder.iterdir()):
                os.chown(path, NOBODY, NOBODY)
        command = [*unprivileged(), "--pdeathsig", "TERM", executable, "--config", str(configuration)]
        with running(command, log, SECOND_PROXY) as process:
            yield process
