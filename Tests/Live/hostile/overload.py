"""Offers ten times the load that the service behind the proxy can answer, open loop: goodput must stay close to its capacity.

The control is nginx in a plain configuration, which forwards everything: there, the same judge must object.
"""

import contextlib
import pathlib
import subprocess
import time

from check import Proxy, Report, Suite
from client.proxy import die_with_parent, free_port
from upstream import Upstream

CAP = 500
OFFERED = 5000
CONNECTIONS = 100
# A client that has waited longer gives up: more than the proxy's eight times 250 ms.
PATIENCE = 3.0


class Way:
    """How a server is asked by h2load. `warm`: seconds in which all connections come in."""

    def __init__(self, address, body, connections=CONNECTIONS, options=("--npn-list=h2", "-m100"), warm=2):
        self.address, self.body, self.connections, self.options, self.warm = address, body, connections, options, warm


def public(port):
    """Over HTTP/2 and TLS, as apps ask."""
    return Way(f"https://127.0.0.1:{port}/version/v1/tan", b"x" * 250)


def offer(suite, way, seconds, offered=OFFERED):
    """Statuses and how long each took, of requests at a steady rate, whatever becomes of those before."""
    log = suite.scratch / "overload.log"
    log.unlink(missing_ok=True)
    body = suite.scratch / "overload.body"
    body.write_bytes(way.body)
    # On a machine that is too busy it may not end in time; then what it has logged counts.
    with contextlib.suppress(subprocess.TimeoutExpired):
        subprocess.run(
            ["h2load", *way.options, "-t1", f"-c{way.connections}", f"--rps={offered / way.connections:.3f}",
             f"-D{seconds}", f"--warm-up-time={way.warm}", "-d", body, "-H", "content-type: application/json", "--log-file", log,
             way.address],
            stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, timeout=seconds + 60, preexec_fn=die_with_parent,
        )  # fmt: skip
    rows = [line.split("\t") for line in log.read_text().splitlines()] if log.exists() else []
    return [(int(row[0]) / 1e6, int(row[1]), int(row[2]) / 1e6) for row in rows if len(row) >= 3]


class Outcome:
    """What became of requests: successes in time and ends of all kinds, each a second, and the seconds that successes took."""

    def __init__(self, rows, seconds):
        self.good = self.ended = 0
        self.statuses, self.times = {}, []
        if not rows:
            return
        first = min(start for start, _, _ in rows)
        # From when the queues are full to when the generator ends.
        begin, end = first + 1, first + seconds - 0.5
        ended = [(status, took) for start, status, took in rows if begin <= start + took < end]
        for status, _ in ended:
            self.statuses[status] = self.statuses.get(status, 0) + 1
        self.times = sorted(took for status, took in ended if 200 <= status < 300)
        self.good = sum(took <= PATIENCE for took in self.times) / (end - begin)
        self.ended = len(ended) / (end - begin)

    @property
    def slowest(self):
        return self.times[-1] if self.times else 0


@contextlib.contextmanager
def nginx(suite, upstream):
    """In a plain configuration. Yields its port, or nothing if it doesn't start."""
    port = free_port()
    folder = pathlib.Path(suite.scratch) / "nginx"
    folder.mkdir(exist_ok=True)
    keys = suite.certificates
    (folder / "nginx.conf").write_text(
        f"""
        daemon off; worker_processes 1; pid {folder}/pid; error_log /dev/null; worker_rlimit_nofile {suite.files};
        events {{ worker_connections 8192; }}
        http {{
            access_log off; client_body_temp_path {folder}/body; proxy_temp_path {folder}/proxy;
            fastcgi_temp_path {folder}/f; uwsgi_temp_path {folder}/u; scgi_temp_path {folder}/s;
            upstream service {{ server 127.0.0.1:{upstream}; keepalive 64; }}
            server {{
                listen 127.0.0.1:{port} ssl http2;
                ssl_certificate {keys}/public.pem; ssl_certificate_key {keys}/public.key;
                location / {{
                    proxy_pass https://service; proxy_http_version 1.1; proxy_set_header Connection "";
                    proxy_ssl_protocols TLSv1.3;
                    proxy_ssl_certificate {keys}/metadata-proxy.pem;
                    proxy_ssl_certificate_key {keys}/metadata-proxy.key;
                    proxy_set_header Host localhost; proxy_set_header User-Agent "";
                }}
            }}
        }}
        """
    )
    with (folder / "log").open("wb") as log:
        process = subprocess.Popen(
            [suite.nginx, "-c", folder / "nginx.conf", "-p", folder], stdout=log, stderr=log, preexec_fn=die_with_parent
        )
        time.sleep(1)
        try:
            yield port if process.poll() is None else None
        finally:
            process.terminate()
            process.wait()


def attempt(report, suite, seconds):
    """One measurement; whether it was good enough."""
    with Upstream(suite, rate=CAP) as upstream, Proxy(suite, upstream.port) as proxy:
        outcome = Outcome(offer(suite, public(proxy.port), seconds), seconds)
        good, statuses = outcome.good, outcome.statuses
        # Answers that were held up before the time that counts may come within it.
        report.require(good <= 1.1 * CAP, f"{good:.0f} answers a second, more than the {CAP} that there can be")
        report.require(set(statuses) <= {200, 201, 503}, f"statuses {statuses}")
        report.require(proxy.is_running, "the proxy's process has ended")
        for text in proxy.errors():
            report.require(False, text)
        most = upstream.numbers()["most waiting"]
    report.say(
        f"{outcome.ended:.0f} requests a second on {CONNECTIONS} connections, {CAP} can be answered: {good:.0f} are, goodput "
        f"{good / CAP:.3f}, the slowest after {outcome.slowest:.2f} s; statuses {statuses}; "
        f"at most {most} at the service at one time"
    )
    return good >= 0.95 * CAP and outcome.ended >= 0.9 * OFFERED


def main():
    suite = Suite(__doc__.splitlines()[0])
    report = Report("overload")
    seconds = 60 if suite.long else 10
    # Other programs on the machine can only lower the figures.
    report.require(
        any(attempt(report, suite, seconds) for _ in range(3)),
        f"in none of three attempts {OFFERED} requests a second were offered and 0.95 × {CAP} answered",
    )
    with Upstream(suite, rate=CAP) as upstream, nginx(suite, upstream.port) as port:
        if report.require(port, "nginx, the control, doesn't run"):
            outcome = Outcome(offer(suite, public(port), 5), 5)
            good, most = outcome.good, upstream.numbers()["most waiting"]
            report.say(
                f"control: nginx: {good:.0f} of {CAP} answers a second within {PATIENCE:.0f} s, goodput "
                f"{good / CAP:.3f}; statuses {outcome.statuses}; at most {most} at the service at one time"
            )
            report.require(good < 0.95 * CAP, "nginx, which queues without bound, does as well: the load is none")
    report.end()


if __name__ == "__main__":
    main()
