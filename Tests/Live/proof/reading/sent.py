"""Keeps what a metadata proxy sends to the services behind it: all that it makes of the hostile corpus, and well-formed requests of
many lengths and fields on its routes. The file `sent` in the scratch folder has them.
"""

import concurrent.futures
import pathlib
import pickle
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "hostile"))

import corpus  # noqa: E402
from check import Proxy, Suite  # noqa: E402
from client import http1  # noqa: E402
from upstream import MEDIA, ROUTES, Upstream  # noqa: E402

SIZES = [0, 1, 9, 10, 99, 100, 999, 1000, 4000, 4095, 4096, 9999, 10_000]
FIELDS = [
    [], ["cwa-fake: 1"], ["cwa-fake: a b\tc"], ["cwa-authorization: \"a\", b;c"], ["cwa-fake:"], ["idempotency-key: " + "a" * 64],
    ["cwa-fake: ~!@#$%^&*()_+|}{:<>?", "user-agent: u", "x-forwarded-for: 1.2.3.4", "cookie: a=b"], ["cwa-fake: " + "x" * 256],
]  # fmt: skip


def plain():
    for path in ROUTES:
        for size in SIZES:
            for fields in FIELDS:
                for media in MEDIA:
                    lines = [f"POST {path} HTTP/1.1", "host: localhost", f"content-type: {media}", *fields]
                    yield "\r\n".join([*lines, f"content-length: {size}", "", ""]).encode() + b"b" * size


def say(port, context, data):
    """Sends bytes, and reads until nothing comes for a while."""
    try:
        connection = http1.connect(port, context)
        connection.settimeout(1)
        connection.sendall(data)
        while connection.recv(1 << 16):
            pass
    except OSError:
        pass


def main():
    suite = Suite(__doc__.splitlines()[0])
    context = suite.app_context()
    inputs = [case.raw for case in corpus.read(ROOT / "hostile/corpus") if case.then in ("probe", "close")] + list(plain())
    with Upstream(suite) as upstream:
        with Proxy(suite, upstream.port) as proxy, concurrent.futures.ThreadPoolExecutor(48) as pool:
            list(pool.map(lambda data: say(proxy.port, context, data), inputs))
        seen = upstream.take()
    # The proxy frames by length, always.
    requests = {one.head + b"\r\n\r\n" + one.body for one in seen if "content-length" in one.fields}
    if len(requests) < 200 or len(seen) != sum("content-length" in one.fields for one in seen):
        raise SystemExit(f"Of {len(inputs)} requests {len(seen)} have arrived, {len(requests)} of them different and with a length.")
    (suite.scratch / "sent").write_bytes(pickle.dumps(sorted(requests)))


main()
