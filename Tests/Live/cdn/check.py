"""Holds the edge and the CDN of deploy/edge against what deploy/edge/README.md promises.

Arguments: nginx, the scratch folder with the suite's state, the folder of programs, and the first of three free ports.
The edge of this check has an access log, which counts the requests that reach the origin and shows what it hears of callers.
"""

import concurrent.futures
import gzip
import http.client
import json
import os
import pathlib
import re
import socket
import ssl
import subprocess
import sys
import time

from client.server import server

ROOT = pathlib.Path(__file__).resolve().parents[3]
COUNTRY = "/version/v1/diagnosis-keys/country"
# Seconds, in the place of five minutes, of an hour, and of ten seconds for what isn't there.
LISTS, PACKAGES, MISSING = 3, 6, 1
# What a caller says that is nobody's business.
TELLING = {"Cookie": "canary=1", "User-Agent": "canary", "X-Forwarded-For": "192.0.2.7", "Referer": "canary", "Accept": "canary/*"}


class Check:
    def __init__(self, nginx, scratch, programs, port):
        self.nginx, self.scratch, self.programs = nginx, pathlib.Path(scratch), pathlib.Path(programs)
        self.state = self.scratch / "state"
        self.edge_port, self.cdn_port, self.closed_port = int(port), int(port) + 1, int(port) + 2
        self.certificates = self.state / "certificates"
        self.download_port = json.loads((self.state / "config/download-server.json").read_text())["listen"]["port"]
        self.context = ssl.create_default_context(cafile=self.certificates / "ca.pem")
        self.problems = 0

    def expect(self, holds, text):
        print(("holds: " if holds else "OBJECTION: ") + text, flush=True)
        self.problems += not holds

    # MARK: Servers

    def configuration(self, file, folder, changes):
        """A file of deploy/edge with other places and lifetimes; each of the changes must be possible."""
        folder.mkdir(exist_ok=True)
        folder.chmod(0o777)
        text = (ROOT / "deploy/edge" / file).read_text()
        for here, there in [("/tmp/", f"{folder}/"), ("error_log /dev/null emerg", f"error_log {folder}/error.log warn"), *changes]:
            if not re.search(here, text):
                sys.exit(f"deploy/edge/{file} has changed: there is no {here!r} in it.")
            text = re.sub(here, there, text)
        path = folder / "nginx.conf"
        path.write_text(("user root;\n" if os.geteuid() == 0 else "") + text)
        return path

    def running(self, configuration, port):
        return server([self.nginx, "-e", "stderr", "-c", configuration], port, configuration.parent / "output.log")

    def edge(self, name="edge", changes=()):
        folder = self.scratch / name
        log = '"$request" $remote_addr "$http_host" "$http_cookie$http_user_agent$http_x_forwarded_for$http_referer$http_accept$http_range"'
        return self.running(self.configuration("nginx.conf", folder, [
            ("listen 8040 ", f"listen 127.0.0.1:{self.edge_port} "), ("127.0.0.1:8049", f"127.0.0.1:{self.closed_port}"),
            ("root /published", f"root {self.state}/published"),
            ("root /further/", f"root {self.state}/further/"), ("/run/secrets/tls[.]", f"{self.certificates}/public."),
            ("/run/secrets/ca[.]", f"{self.certificates}/ca."), ("proxy_ssl_name download-server", "proxy_ssl_name localhost"),
            ("https://download-server:8040", f"https://127.0.0.1:{self.download_port}"),
            ("/etc/vigil/venue.html", str(ROOT / "deploy/edge/venue.html")),
            ("access_log off;", f"log_format heard '{log}'; access_log {folder}/access.log heard;"), *changes,
        ]), self.edge_port)

    def cdn(self, name="cdn", authority="ca.pem"):
        folder = self.scratch / name
        return self.running(self.configuration("cdn.conf", folder, [
            ("listen 8040 ", f"listen 127.0.0.1:{self.cdn_port} "), ("server origin.example:8040", f"server 127.0.0.1:{self.edge_port}"),
            ("origin[.]example", "localhost"), ("/run/secrets/tls[.]", f"{self.certificates}/public."),
            ("/run/secrets/origin-ca.pem", str(self.certificates / authority)), ("/var/cache/vigil", f"{folder}/cache"),
            (r"200 5m;", f"200 {LISTS}s;"), (r"200 1h;", f"200 {PACKAGES}s;"), (r"404 10s;", f"404 {MISSING}s;"),
        ]), self.cdn_port)

    def heard(self):
        """What reached the origin. nginx writes a line after the answer: half a second is enough, and it says more than a moment."""
        time.sleep(0.5)
        log = self.scratch / "edge/access.log"
        return log.read_text().splitlines() if log.exists() else []

    # MARK: Requests

    def ask(self, path, port=None, method="GET", headers=None):
        """Status, header fields in lower case, body."""
        connection = http.client.HTTPSConnection("localhost", port or self.cdn_port, timeout=20, context=self.context)
        try:
            connection.request(method, path, headers=headers or {})
            answer = connection.getresponse()
            return answer.status, {name.lower(): value for name, value in answer.getheaders()}, answer.read()
        finally:
            connection.close()

    def names(self, path, port=None):
        status, _, body = self.ask(path, port)
        return json.loads(body) if status == 200 else []

    def tree(self):
        """Every path that the tree has, as phones ask for it."""
        published = self.state / "published"
        files = [str(file.relative_to(published)) for file in published.rglob("*") if file.is_file() and file.name[0] != "."]
        return ["/" + file.removesuffix("/index") for file in sorted(files)]

    def hour(self):
        """Closes an hour, and returns the path of its package."""
        subprocess.run([self.programs / "vigil-dev", "hour", "close", "--state", self.state], check=True, stdout=subprocess.DEVNULL)
        day = max(path.split("/date/")[1].split("/")[0] for path in self.tree() if "/DE/date/" in path and "/hour/" in path)
        last = max(int(path.rsplit("/", 1)[1]) for path in self.tree() if f"/DE/date/{day}/hour/" in path)
        return f"{COUNTRY}/DE/date/{day}/hour/{last}"

    # MARK: What must hold

    def run(self):
        with self.edge("edge-tickets", [("ssl_session_tickets off;|ssl_conf_command NumTickets 0;|ssl_session_cache off;", "")]):
            self.expect(self.gives_tickets(self.edge_port), "control: with nginx's defaults a session ticket is found.")
        with self.edge():
            self.tls(self.edge_port, "the edge")
            with self.cdn():
                self.tls(self.cdn_port, "the CDN")
                self.same_answers()
                self.trace_keys()
                self.health_reports()
                self.key()
                self.collapsed()
                self.news()
                self.removed()
                self.strangers()
            self.wrong_origin()
        with self.cdn():
            self.away()
        sys.exit(1 if self.problems else 0)

    def tls(self, port, who):
        def version(*options):
            command = ["curl", "-sS", "--cacert", self.certificates / "ca.pem", "-o", "/dev/null", "-w", "%{http_version} %{http_code}",
                       *options, f"https://localhost:{port}/version"]
            return subprocess.run(command, capture_output=True, text=True).stdout
        self.expect((version(), version("--http1.1")) == ("2 200", "1.1 200"), f"{who} speaks HTTP/2 and HTTP/1.1 over TLS.")
        self.expect(version("--tls-max", "1.1") == "0 000", f"{who} refuses TLS 1.1.")
        self.expect(not self.gives_tickets(port), f"{who} gives no session ticket.")
        with socket.create_connection(("localhost", port)) as plain:
            plain.sendall(b"GET /version HTTP/1.1\r\nHost: localhost\r\n\r\n")
            self.expect(b" 200 " not in plain.recv(4096), f"{who} serves nothing without TLS.")

    def gives_tickets(self, port):
        command = ["openssl", "s_client", "-connect", f"localhost:{port}", "-CAfile", self.certificates / "ca.pem", "-ign_eof"]
        said = subprocess.run(command, input="GET /version HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n",
                              capture_output=True, text=True, timeout=30).stdout
        if "200 OK" not in said:
            sys.exit(f"openssl got no answer from port {port}.")
        return "New Session Ticket" in said

    def same_answers(self):
        # Download-server's lists have header fields of their own at the top: they are no objects for phones.
        lists = [path for path in self.tree() if "/trace-keys/" in path]
        paths = [path for path in [*self.tree(), "/venue"] if path not in lists]
        fields = ("etag", "cache-control", "content-type", "content-security-policy")
        different = []
        for path in paths:
            edge, first, second = self.ask(path, self.edge_port), self.ask(path), self.ask(path)
            for answer in (first, second):
                if (edge[0], edge[2], [edge[1].get(name) for name in fields]) != \
                        (answer[0], answer[2], [answer[1].get(name) for name in fields]) or answer[0] != 200:
                    different.append(path)
        self.expect(len(paths) > 20 and not different, f"{len(paths)} objects come through the CDN as from the edge. {different[:3]}")
        statuses = {self.ask(path, port)[0] for path in lists for port in (self.edge_port, self.cdn_port)}
        self.expect(lists and statuses == {404}, f"download-server's lists of trace keys leave neither by their paths. {statuses}")
        package = next(path for path in paths if re.search("/hour/[0-9]+$", path))
        tag = self.ask(package)[1]["etag"]
        statuses = (self.ask(package, headers={"If-None-Match": tag})[0], self.ask(package, headers={"Range": "bytes=0-9"})[0],
                    self.ask(package, method="HEAD")[0], self.ask(package, method="POST")[0])
        self.expect(statuses == (304, 206, 200, 405), f"the CDN answers 304, ranges and HEAD itself, and refuses POST: {statuses}.")

        said = [tuple(self.ask(path)[1].get(name) for name in ("content-type", "cache-control"))
                for path in paths if re.search("/venue-reports(/[0-9]+)?$", path)]
        self.expect(len(said) > 1 and set(said) == {
            ("application/json", "public, max-age=300"), ("application/x-protobuf", "public, max-age=86400, immutable")},
            f"the list of venue reports lasts five minutes, a bundle a day: {sorted(set(said))}.")

    def trace_keys(self):
        """What phones ask for is answered as download-server answers it, whatever else they say."""
        fields = ("etag", "cache-control", "content-type", "x-key-bundle-tag", "signature", "vary")
        tags = [str(tag) for tag in json.loads((self.state / "published/version/v1/trace-keys/index").read_text())]
        asked = [("", 200), ("?lastKeyBundleTag=", 200), ("?lastKeyBundleTag=0", 200), ("?lastKeyBundleTag=1", 404),
                 ("?lastKeyBundleTag=none", 404), ("?lastKeyBundleTag=99999999999999999999", 404),
                 *((f"?lastKeyBundleTag={tag}", 200) for tag in tags)]
        forms = ("application/json", "application/x-protobuf", "text/html, application/protobuf;q=0.9", "application/x-protobuffer")
        different, kinds = [], set()
        for query, status in asked:
            for form in forms:
                answers = [self.ask("/v3/traceKeys" + query, port, headers={"Accept": form})
                           for port in (self.download_port, self.edge_port, self.edge_port, self.cdn_port, self.cdn_port)]
                said = [(code, body, [head.get(name) for name in fields] if code == 200 else None) for code, head, body in answers]
                if len(set(map(repr, said))) != 1 or said[0][0] != status:
                    different.append((query, form, [code for code, _, _ in said]))
                kinds.add(said[0][2] and said[0][2][2])
        self.expect(kinds == {"application/json", "application/x-protobuf", None} and not different,
                    f"{len(asked) * len(forms)} requests for trace keys get download-server's answer from the edge and the CDN. {different[:3]}")
        _, head, _ = self.ask("/v3/traceKeys")
        self.expect(head.get("signature") and head.get("x-key-bundle-tag") == tags[-1],
                    "a list of trace keys comes with its signature and the next tag.")
        statuses = (self.ask("/v3/traceKeys", headers={"If-None-Match": head["etag"]})[0], self.ask("/v3/traceKeys", method="HEAD")[0],
                    self.ask("/v3/traceKeys", method="POST")[0])
        self.expect(statuses == (304, 200, 405), f"the CDN answers 304 and HEAD for trace keys, and refuses POST: {statuses}.")
        before = len(self.heard())
        for query in ("", "?x=1", "?lastKeyBundleTag=0&x=1"):
            self.ask("/v3/traceKeys" + query, headers={**TELLING, "Accept": "application/json"})
        self.expect(len(self.heard()) == before, "nothing but tag and form of a request for trace keys reaches the origin.")

    def health_reports(self):
        """The lists of `further` are answered as download-server answers them, compressed for who takes gzip."""
        fields = ("etag", "cache-control", "content-type", "content-encoding", "access-control-allow-origin", "vary", "content-length")
        codings = {"": None, "gzip": "gzip", "GZIP": "gzip", "br, gzip;q=0.5": "gzip", "gzip;q=0": None, "gzip;q=0.0, br": None, "br": None}
        different, wrong = [], []
        for path in ("/data", "/responses", "/features"):
            for coding, wanted in codings.items():
                headers = {"Accept-Encoding": coding} if coding else {"Accept-Encoding": "identity"}
                answers = [self.ask(path, port, headers=headers)
                           for port in (self.download_port, self.edge_port, self.cdn_port, self.cdn_port)]
                said = [(code, body, [head.get(name) for name in fields]) for code, head, body in answers]
                if len(set(map(repr, said))) != 1 or said[0][0] != 200:
                    different.append((path, coding, [(code, fields) for code, _, fields in said]))
                _, head, body = answers[0]
                text = gzip.decompress(body) if wanted else body
                read = isinstance(json.loads(text), dict if path == "/features" else list)
                if head.get("content-encoding") != wanted or not read or (head.get("access-control-allow-origin") == "*") != (path != "/data"):
                    wrong.append((path, coding, head))
        self.expect(not different, f"{3 * len(codings)} requests for health reports get download-server's answer from edge and CDN. {different[:2]}")
        self.expect(not wrong, f"they are compressed for who takes gzip, and pages may read all but /data. {wrong[:2]}")
        for coding in ("identity", "gzip"):
            headers = {"Accept-Encoding": coding}
            tag = self.ask("/responses", headers=headers)[1]["etag"]
            statuses = (self.ask("/responses", headers={**headers, "If-None-Match": tag})[0], self.ask("/responses", method="HEAD", headers=headers)[0],
                        self.ask("/responses", method="POST", headers=headers)[0], self.ask("/responses/x")[0], self.ask("/responses.gz")[0])
            self.expect(statuses == (304, 200, 405, 404, 404), f"304, HEAD, no POST, and no other path for health reports ({coding}): {statuses}.")

    def key(self):
        package = next(path for path in self.tree() if re.search("/hour/[0-9]+$", path))
        self.ask(package)
        before = len(self.heard())
        for path in (package, package + "?x=1", package + "?x=2", package + "/"):
            for headers in ({}, TELLING, {"Host": "other.example"}, {"Range": "bytes=0-9"}):
                self.ask(path, headers=headers)
        for path in ("/", "/other", "/version/..", "/version/%0d%0aX:1", "/version//x", "/version/.hidden", "/version/a b".replace(" ", "%20")):
            if self.ask(path)[0] not in (400, 404):
                self.expect(False, f"{path} is refused.")
        self.expect(len(self.heard()) == before, "neither query strings, header fields, nor names outside of the tree reach the origin.")

    def collapsed(self):
        package = self.hour()
        before = len(self.heard())
        with concurrent.futures.ThreadPoolExecutor(40) as callers:
            statuses = set(callers.map(lambda _: self.ask(package)[0], range(200)))
        asked = len(self.heard()) - before
        self.expect(statuses == {200} and asked == 1, f"of 200 requests for a new package at once {asked} reached the origin.")
        # The finder works: without the CDN all would.
        for _ in range(5):
            self.ask(package, self.edge_port)
        self.expect(len(self.heard()) - before == 6, "control: requests to the edge are counted.")

    def news(self):
        """A new hour is out without a purge, and no list ever names what isn't there."""
        hours = self.hour().rsplit("/", 1)[0]
        self.names(hours)
        following = f"{hours}/{max(self.names(hours, self.edge_port)) + 1}"
        missing = self.ask(following)[0]
        package = self.hour()
        day = package.rsplit("/", 1)[0]
        last, end, broken = int(package.rsplit("/", 1)[1]), time.monotonic() + LISTS + 3, []
        seen = None
        while time.monotonic() < end and seen is None:
            for hour in self.names(day):
                if self.ask(f"{day}/{hour}")[0] != 200:
                    broken.append(hour)
            if last in self.names(day):
                seen = time.monotonic()
            time.sleep(0.2)
        self.expect(seen is not None and not broken, f"a new hour is found after the list's lifetime, without a purge. {broken}")
        time.sleep(MISSING + 0.5)
        self.expect(missing == 404 and (package != following or self.ask(following)[0] == 200),
                    "a package that was asked for too early is found once it is there.")

    def removed(self):
        """What leaves the tree leaves the cache after a package's lifetime."""
        package = self.hour()
        self.ask(package)
        file = self.state / "published" / package[1:]
        content, facts = file.read_bytes(), file.stat()
        file.unlink()
        kept = self.ask(package)[0]
        time.sleep(PACKAGES + 1.5)
        gone = self.ask(package)[0]
        file.write_bytes(content)
        os.utime(file, ns=(facts.st_atime_ns, facts.st_mtime_ns))
        self.expect((kept, gone) == (200, 404), f"a package that left the tree is kept ({kept}) and then forgotten ({gone}).")

    def strangers(self):
        """The origin hears nothing of callers."""
        for path in self.tree()[:10]:
            self.ask(path + "?canary=1", headers=TELLING)
        time.sleep(LISTS + 1)
        for path in self.tree()[:10]:
            self.ask(path + "?canary=1", headers=TELLING)
        told = [line for line in self.heard() if "canary" in line or "192.0.2.7" in line or "bytes=" in line]
        self.expect(not told, f"the origin hears nothing of callers. {told[:2]}")
        self.ask("/version?canary=1", self.edge_port, headers=TELLING)
        self.expect(any("canary" in line for line in self.heard()), "control: what a caller tells the edge is in this check's log.")

    def wrong_origin(self):
        """With another authority than the origin's, nothing comes through."""
        other = self.scratch / "other"
        other.mkdir()
        subprocess.run(["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-subj", "/CN=other",
                        "-days", "2", "-keyout", other / "ca.key", "-out", self.certificates / "other-ca.pem"], check=True, capture_output=True)
        with self.cdn("cdn-other", "other-ca.pem"):
            self.expect(self.ask("/version")[0] == 502, "the CDN takes nothing from an origin that doesn't prove its name.")

    def away(self):
        """The origin is gone, and the cache of the first run is there."""
        time.sleep(max(LISTS, PACKAGES) + 1)
        day = next(path for path in self.tree() if path.endswith("/hour") and "/DE/date/" in path)
        answers = [self.ask(day)[0], self.ask(f"{day}/{self.names(day)[-1]}")[0]]
        self.expect(answers == [200, 200], f"while the origin is away, lists and packages are served: {answers}.")


Check(*sys.argv[1:]).run()
